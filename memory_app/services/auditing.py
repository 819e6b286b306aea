"""The audit log: a bank's changes in the order they happened, each with a plain reason (D7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.text import cut
from memory_app.models import LedgerEntry, Memory, Mention
from memory_app.queries import ledger as queries
from memory_app.queries.access import Access, resolve

QUOTED = 120
_HOW = {
    "new": "{} is a new entity",
    "existing": "{} is the known {}",
    "alias": "{} is another name of {}",
    "chosen": "{} was resolved by the writer to {}",
}
# What each operation says; `{what}` is the text it was about, `{by}` what took its place.
_SAID = {
    "create": "Stored {what}",
    "import": "Imported {what}",
    "supersede": "Outdated by {by}",
    "retire": "Retired",
    "revive": "Made current again",
    "merge": "The same statement came again; its tags were united",
    "edit": "Edited",
    "update": "Edited",
    "pin": "Pinned to the top of the profile",
    "unpin": "Unpinned",
    "forget": "Put into the bin",
    "restore": "Taken out of the bin",
    "erase": "Erased for good",
    "purge": "Erased for good",
    "entity_create": "Made the entity {what}",
    "entity_update": "Described an entity anew",
    "entity_merge": "Merged two entities that a person found to be one",
    "relate": "Stated a relationship without a text",
    "graph_update": "Changed the entities and relationships of an observation",
    "graph_link": "Linked to similar memories",
    "causal_hint": "Typed the cause that the fact states",
    "causal_hint_clear": "Took a late causal hint back",
    "propose": "Left for a person to decide",
    "decide": "A person decided",
    "undo_decision": "A person took a decision back",
    "undo_import": "An import was undone",
    "recall_save": "A reader recorded that it saved work: {what}",
    "document_queue": "Queued the document {what}",
    "document_close": "Closed the document {what}",
    "bank.updated": "Changed the bank's settings",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    entry: LedgerEntry
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """Entries, the oldest first, and the number to go on after."""

    entries: tuple[AuditEntry, ...]
    next_after: int | None


def audit(
    actor: Actor,
    bank: str | None,
    *,
    since: datetime | None = None,
    after: int | None = None,
    limit: int = 50,
) -> AuditPage:
    """One page of writes, invalidations, supersessions and resolutions. Five queries."""
    with acting_as(actor):
        access = resolve(actor, bank)
        page = queries.chronological(access, since=since, after=after, limit=limit)
        told = _Told.of(access, page)
    return AuditPage(
        entries=tuple(AuditEntry(entry=entry, reason=told.reason(entry)) for entry in page.entries),
        next_after=page.next_after,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What the reasons of a page are made of."""

    contents: Mapping[int, Mapping[str, Any]]
    successors: Mapping[str, str]
    resolutions: Mapping[tuple[str, int], Sequence[Mention]]

    @classmethod
    def of(cls, access: Access, page: queries.LedgerPage) -> _Told:
        targets = {entry.target for entry in page.entries if entry.target.startswith("mem_")}
        memories = Memory.objects.filter(bank_id=access.bank.id, id__in=targets)
        mentions = Mention.objects.filter(
            bank_id=access.bank.id,
            memory_id__in=targets,
            since__in=[entry.seq for entry in page.entries],
        ).select_related("entity")
        resolutions: dict[tuple[str, int], list[Mention]] = {}
        for mention in mentions.order_by("id"):
            resolutions.setdefault((mention.memory_id, mention.since), []).append(mention)
        return cls(
            contents={seq: content.content for seq, content in page.contents.items()},
            successors={row.id: row.superseded_by for row in memories if row.superseded_by},
            resolutions=resolutions,
        )

    def reason(self, entry: LedgerEntry) -> str:
        content = self.contents.get(entry.seq, {})
        said = _SAID.get(entry.operation, entry.operation.replace("_", " ").capitalize()).format(
            what=_quoted(content), by=self.successors.get(entry.target, "another memory")
        )
        because = f": {entry.reason}" if entry.reason else ""
        found = self.resolutions.get((entry.target, entry.seq), ())
        resolved = "; ".join(
            _HOW[one.resolution].format(one.name, one.entity.name) for one in found
        )
        return f"{said}{because}." + (f" {resolved}." if resolved else "")


def _quoted(content: Mapping[str, Any]) -> str:
    for name in ("content", "name", "path", "note"):
        if isinstance(content.get(name), str):
            shortened, was_cut = cut(" ".join(content[name].split()), QUOTED)
            return f'"{shortened}{"..." if was_cut else ""}"'
    return "a text that was erased"
