"""Short words for saving and asking in the tests of recall."""

from __future__ import annotations

from typing import Any

from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.models import Bank, Memory
from memory_app.providers.embedding import get_embedder
from memory_app.queries.access import resolve
from memory_app.recall import Query, Result, run
from memory_app.services import memories
from tests.factories import World


def save(world: World, content: str, **fields: Any) -> Memory:
    """One memory through the write path, without the judge."""
    draft = parse_draft(content=content, **fields)
    return memories.save(world.caller, "main", draft, judge=False).memory


def save_all(world: World, contents: list[str], **fields: Any) -> list[Memory]:
    drafts = [parse_draft(content=content, **fields) for content in contents]
    return [saved.memory for saved in memories.save_many(world.caller, "main", drafts, judge=False)]


def ask(world: World, text: str | None = None, **options: Any) -> Result:
    """The engine's answer, with the vector that the service would give it."""
    query = Query(text=text, **options)
    vector = get_embedder().embed([text or ""], kind="query")[0] if query.needs_vector else None
    with acting_as(world.caller):
        return run(resolve(world.caller, "main"), query, query_vector=vector)


def contents(result: Result) -> list[str]:
    return [hit.memory.content for hit in result.hits]


def bank_of(world: World) -> Bank:
    with acting_as(world.caller):
        return resolve(world.caller, "main").bank
