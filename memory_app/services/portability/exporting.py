"""Everything a bank holds, as lines of one file, from one moment (docs/export.md)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from django.db import models
from django.db.models import Q

from accounts.actor import Actor
from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from memory_app.domain.text import cut
from memory_app.formats import export
from memory_app.models import Bank, File, LedgerContent, LedgerEntry
from memory_app.queries.access import resolve
from memory_app.services.files import opened_file
from memory_app.services.portability.rows import KEYS, MODELS, PEOPLE, TRAVELS, written
from memory_app.services.portability.settings import settings_of

BATCH = 100
# What the columns of people hold.
NAME_LIMIT = 60


def export_bank(actor: Actor, bank: str | None) -> Iterator[bytes]:
    """The lines of the file, read in batches of 100 rows inside one read-only snapshot.

    Writers go on meanwhile. The transaction stays open until the last line was taken, so put the
    lines where they don't wait for a slow reader. Needs the tier full.
    """
    with acting_as(actor, snapshot=True):
        access = resolve(actor, bank)
        access.require("full")
        yield from export.write(_header(access.bank), _rows(actor, access.bank.id))


def _header(bank: Bank) -> dict[str, Any]:
    return {
        "organization": bank.organization_id,
        "bank": bank.id,
        "slug": bank.slug,
        "name": bank.name,
        "embedding_model": bank.embedding_model,
        "dimensions": bank.dimensions,
        "text_search": bank.text_search,
        "chunker": bank.chunker,
        "settings": settings_of(bank),
        "head_watermark": bank.head_watermark,
        "head_hash": bank.head_hash,
        "counts": {
            kind: model._default_manager.filter(TRAVELS.get(kind, Q()), bank_id=bank.id).count()
            for kind, model in MODELS.items()
        },
    }


def _rows(actor: Actor, bank_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind in export.KINDS:
        maker = PEOPLE.get(kind, "")
        for batch in _batches(kind, bank_id):
            contents = _contents(bank_id, batch) if kind == "ledger" else {}
            names = names_of(actor, {getattr(row, maker) for row in batch}) if maker else {}
            for row in batch:
                values = written(kind, row)
                if maker:
                    values[maker] = cut(names[values[maker]].name, NAME_LIMIT)[0]
                if isinstance(row, LedgerEntry) and row.seq in contents:
                    kept = contents[row.seq]
                    values |= {"content": kept.content, "salt": kept.salt}
                if isinstance(row, File):
                    with opened_file(row) as handle:
                        values["content"] = b64encode(handle.read()).decode()
                yield kind, values


def _batches(kind: str, bank_id: str) -> Iterator[list[models.Model]]:
    model, key = MODELS[kind], KEYS.get(kind, "id")
    after: Any = None
    while True:
        rows = model._default_manager.filter(TRAVELS.get(kind, Q()), bank_id=bank_id).order_by(key)
        if after is not None:
            rows = rows.filter(**{f"{key}__gt": after})
        batch = list(rows.defer(*_heavy(model))[:BATCH])
        yield batch
        if len(batch) < BATCH:
            return
        after = getattr(batch[-1], key)


def _heavy(model: type[models.Model]) -> list[str]:
    """Columns that are made again at the import and needn't be read."""
    names = {item.name for item in model._meta.concrete_fields}
    return sorted(names & {"embedding", "words"})


def _contents(bank_id: str, batch: list[models.Model]) -> dict[int, LedgerContent]:
    numbers = [row.seq for row in batch if isinstance(row, LedgerEntry)]
    found = LedgerContent.objects.filter(bank_id=bank_id, seq__in=numbers)
    return {content.seq: content for content in found}
