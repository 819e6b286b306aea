"""Banks that were deleted: out of sight at once, for good after a while.

What can't go is the ledger: its entries hold digests and ids, never contents, and nobody may rewrite
them. So a purged bank leaves its row and its chain, and no memory, vector, file or log.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import connections, transaction
from django.db.models import QuerySet

from accounts.actor import CONSOLIDATION, Actor, system_actor
from accounts.models import Connection
from accounts.queries.banks import seen_banks
from accounts.queries.pages import Page, cut
from accounts.roles import require_own, require_role
from accounts.services.audit import record
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.ids import to_uuid
from memory_app.models import Bank, BankSlug, File, ImportJob, LedgerEntry
from memory_app.models.below import BelowBank
from memory_app.providers.clock import now
from memory_app.queries.access import Access, resolve
from memory_app.services import jobs, ledger
from memory_app.services.importing import receiving

BIN_DAYS = 30
ROUND = 5_000
FILES_ROUND = 500
PURGED_NAME = "Deleted bank"


@dataclass(frozen=True, slots=True, kw_only=True)
class BinnedBank:
    """A bank in the bin, and when it goes for good."""

    bank: Bank
    purged_after: datetime


def bin_bank(actor: Actor, bank: str, *, confirm: object) -> Bank:
    """Put a bank away: no agent and no screen reaches it, and after 30 days it is purged.

    Administrators, and the bank's maker; `confirm` repeats the slug. Connections stay as they are,
    for the case that it is restored.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        require_own(actor, access.bank.created_by, to="delete this bank")
        if confirm != access.bank.slug:
            raise InvalidArgument(
                "confirm must repeat the bank's slug.",
                hint=f"Type {access.bank.slug} to delete the bank.",
                field="confirm",
            )
        put_away(access)
        return Bank.objects.get(id=access.bank.id)


def put_away(access: Access) -> None:
    """Inside the caller's transaction, with entries in the bank's ledger and the access log."""
    with ledger.opened(access) as book:
        moved = Bank.objects.filter(id=book.bank.id, deleted_at=None).update(deleted_at=book.moment)
        if moved:
            book.append("bank.deleted", book.bank.id)
            record(access.actor, "bank.deleted", book.bank.id, name=book.bank.name)


def restore_bank(actor: Actor, bank_id: str) -> Bank:
    """Take a bank out of the bin, as it was. Raises `NotFound` for what isn't in it (any more)."""
    with acting_as(actor):
        found = _binned(actor).filter(id=bank_id).first()
        if found is None:
            raise NotFound("bank in the bin")
        require_own(actor, found.created_by, to="restore this bank")
        with ledger.opened(Access(actor=actor, bank=found, tier="full")) as book:
            waiting = Bank.objects.filter(id=found.id, purged_at=None, deleted_at__isnull=False)
            if not waiting.update(deleted_at=None):
                raise NotFound("bank in the bin")
            book.append("bank.restored", found.id)
            record(actor, "bank.restored", found.id, name=found.name)
        restored = Bank.objects.get(id=found.id)
    # What waited for the bank goes on now rather than at the next round.
    jobs.sweep(system_actor(actor.organization_id, CONSOLIDATION), restored.id)
    return restored


def list_binned(actor: Actor, *, after: str | None = None, limit: int = 50) -> Page[BinnedBank]:
    """A page of the banks in the bin that the actor would see, the latest made first. One query.

    People only.
    """
    require_role(actor, "viewer", to="see the bin")
    with acting_as(actor):
        rows = _binned(actor).order_by("-id")
        page = cut(rows if after is None else rows.filter(id__lt=after), limit)
    return Page(items=tuple(map(binned, page.items)), next_cursor=page.next_cursor)


def binned(bank: Bank) -> BinnedBank:
    """With the end of its time in the bin."""
    deleted_at = bank.deleted_at or now()
    return BinnedBank(bank=bank, purged_after=deleted_at + timedelta(days=BIN_DAYS))


def purge_bank(actor: Actor, bank_id: str, *, most: int = 200_000) -> int:
    """Remove what a bank held, once it has been in the bin for 30 days; how many rows went.

    By the owner's connection, in rounds, at most about `most` rows a call: the next hour goes on.
    """
    with acting_as(actor):
        bank = Bank.objects.filter(
            id=bank_id, purged_at=None, deleted_at__lt=now() - timedelta(days=BIN_DAYS)
        ).first()
        if bank is None:
            return 0
        names = list(
            File.objects.filter(bank_id=bank_id).values_list("storage_name", flat=True)[
                :FILES_ROUND
            ]
        )
        drafts = list(ImportJob.objects.filter(bank_id=bank_id, options__has_key="uploads"))
    for name in names:
        default_storage.delete(name)
    for draft in drafts:
        receiving.forget(draft)
    gone = 0
    for table in _tables():
        while gone < most:
            rows = _delete(actor, bank_id, table)
            gone += rows
            if rows < ROUND:
                break
    if gone < most:
        _seal(actor, bank)
    return gone


def _seal(actor: Actor, bank: Bank) -> None:
    """The last step: the name is free again, and nothing visits the bank any more."""
    with acting_as(actor):
        with ledger.opened(Access(actor=actor, bank=bank, tier="full")) as book:
            book.append("bank.purged", bank.id, reason="30 days in the bin")
        BankSlug.objects.filter(organization_id=bank.organization_id, bank_id=bank.id).delete()
        Connection.objects.filter(organization_id=bank.organization_id, bank_id=bank.id).delete()
        Bank.objects.filter(id=bank.id).update(
            purged_at=now(),
            name=PURGED_NAME,
            description="",
            slug=f"purged-{bank.id[-20:].lower()}",
        )


def _binned(actor: Actor) -> QuerySet[Bank]:
    rows = Bank.objects.filter(organization_id=actor.organization_id, deleted_at__isnull=False)
    rows = rows.filter(purged_at=None)
    return rows if actor.kind == "system" else rows.filter(seen_banks(actor))


def _tables() -> list[str]:
    """Every table below the bank but the ledger's entries; the statement's contents go."""
    models = [model for model in apps.get_models() if issubclass(model, BelowBank)]
    kept = {LedgerEntry._meta.db_table}
    return [*sorted({model._meta.db_table for model in models} - kept), "bank_terms"]


def _delete(actor: Actor, bank_id: str, table: str) -> int:
    with transaction.atomic(using="owner"), connections["owner"].cursor() as owner:
        organization = str(to_uuid("org", actor.organization_id))
        owner.execute("SELECT set_config('app.organization', %s, true)", [organization])
        owner.execute(
            f"DELETE FROM {table} WHERE bank_id = %(bank)s AND ctid = ANY(ARRAY("  # noqa: S608
            f"SELECT ctid FROM {table} WHERE bank_id = %(bank)s LIMIT {ROUND}))",
            {"bank": to_uuid("bank", bank_id)},
        )
        return int(owner.rowcount)
