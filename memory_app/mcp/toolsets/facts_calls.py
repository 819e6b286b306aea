"""What the tools of `facts` do: parse, call one service, answer."""

from __future__ import annotations

from typing import Any

from accounts.actor import Actor
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.stated import parse_about, parse_episode
from memory_app.domain.text import LABEL_LIMIT, QUERY_LIMIT, clean, clean_label
from memory_app.domain.times import parse_instant
from memory_app.domain.values import parse_integer
from memory_app.mcp.registry import Arguments, Reply
from memory_app.queries.causes import HOPS_LIMIT
from memory_app.services import auditing, documents_queue, episodes, facts, saves, tracing
from memory_app.services.fact_replies import (
    audit_reply,
    causes_reply,
    closed_reply,
    episode_reply,
    facts_reply,
    save_reply,
    waiting_reply,
)
from memory_app.services.scopes import bank_of

TOP_K = 10
TOP_K_MOST = 50
DIRECTIONS = ("upstream", "downstream", "both")
PAGE_MOST = 200


def write_episode(actor: Actor, bank: str, arguments: Arguments) -> Reply:
    given = {name: value for name, value in arguments.items() if name != "scope"}
    episode = parse_episode(**given)
    here = bank_of(actor, bank, arguments["scope"])
    written = episodes.write_episode(actor, here, episode)
    return episode_reply(written, facts=len(episode.facts))


def query_memory(actor: Actor, bank: str, arguments: Arguments) -> Reply:
    text = clean(arguments.get("query", ""), field="query", limit=QUERY_LIMIT)
    limit = parse_integer(
        arguments.get("top_k"), field="top_k", least=1, most=TOP_K_MOST, default=TOP_K
    )
    about = parse_about(arguments.get("about"))
    as_of = facts.parse_instant_seconds(arguments.get("as_of"))
    answer = facts.query(
        actor,
        bank_of(actor, bank, arguments["scope"]),
        text=text,
        limit=limit,
        about=about,
        digest=arguments.get("digest", False),
        as_of=as_of,
        queue_of=bank,
    )
    return facts_reply(answer)


def trace_cause(actor: Actor, bank: str, arguments: Arguments) -> Reply:
    subject = clean(arguments["subject"], field="subject", limit=200, least=1, lines=False)
    direction: Any = arguments.get("direction", "both")
    hops = parse_integer(
        arguments.get("max_hops"), field="max_hops", least=1, most=HOPS_LIMIT, default=3
    )
    here = bank_of(actor, bank, arguments["scope"])
    return causes_reply(tracing.trace(actor, here, subject, direction=direction, hops=hops))


def record_recall_save(actor: Actor, bank: str, arguments: Arguments) -> Reply:
    fact = clean(arguments["fact_id"], field="fact_id", limit=LABEL_LIMIT, least=1, lines=False)
    note = clean(arguments["note"], field="note", limit=saves.NOTE_LIMIT, least=1)
    here = bank_of(actor, bank, arguments["scope"])
    return save_reply(saves.record_save(actor, here, fact, note))


def get_audit_log(actor: Actor, bank: str, arguments: Arguments) -> Reply:
    since = arguments.get("since")
    page = auditing.audit(
        actor,
        bank_of(actor, bank, arguments["scope"]),
        since=None if since is None else parse_instant(since, field="since"),
        after=_after(arguments.get("cursor")),
        limit=parse_integer(
            arguments.get("limit"), field="limit", least=1, most=PAGE_MOST, default=50
        ),
    )
    reply: Reply = {"entries": [audit_reply(entry) for entry in page.entries]}
    return reply | ({"next_cursor": str(page.next_after)} if page.next_after is not None else {})


def pending_documents(actor: Actor, bank: str, arguments: Arguments) -> Reply:
    project = clean_label(arguments.get("project"), field="project") or ""
    return waiting_reply(documents_queue.listed(actor, bank, project=project))


def mark_ingested(actor: Actor, bank: str, arguments: Arguments) -> Reply:
    session = clean_label(arguments.get("session_id"), field="session_id", limit=200) or ""
    paths = documents_queue.parse_paths(arguments["paths"])
    return closed_reply(documents_queue.close(actor, bank, paths, session=session))


def _after(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:
        raise InvalidArgument(
            "cursor is not one that this tool gave out.",
            hint="Send next_cursor of the page before, or leave it out.",
            field="cursor",
        )
    return int(cursor)
