"""The credential's organization, and its banks."""

from __future__ import annotations

from typing import Any

from accounts.services import organizations
from memory_app.rest.access_replies import bank_reply, binned_reply, organization_reply
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.access import (
    BankChangesIn,
    BankDeletionIn,
    BankIn,
    BankOut,
    BanksOut,
    BinnedBankOut,
    BinnedBanksOut,
    NamedListIn,
    OrganizationDeletionIn,
    OrganizationIn,
    OrganizationOut,
)
from memory_app.services import bank_bin, banks, ending
from memory_app.services.idempotency import Reply


class Organization(Endpoint):
    @operation(
        "get_organization",
        "The organization of this credential",
        answer=OrganizationOut,
        group="organization",
    )
    def get(self, call: Call) -> Body:
        return organization_reply(organizations.get_organization(call.actor))

    @operation(
        "update_organization",
        "Rename it, set its daily cap, ask members for a second factor (owners)",
        body=OrganizationIn,
        answer=OrganizationOut,
        group="organization",
    )
    def patch(self, call: Call) -> Body:
        return organization_reply(organizations.update_organization(call.actor, **call.given))


class Deletion(Endpoint):
    @operation(
        "request_organization_deletion",
        "Every bank into the bin, every key revoked; it can be taken back for 30 days (owners)",
        body=OrganizationDeletionIn,
        answer=OrganizationOut,
        group="organization",
    )
    def post(self, call: Call) -> Body:
        return organization_reply(ending.request_deletion(call.actor, **call.given))

    @operation(
        "cancel_organization_deletion",
        "Keep the organization; banks are restored one by one from the bin (owners)",
        answer=OrganizationOut,
        group="organization",
    )
    def delete(self, call: Call) -> Body:
        return organization_reply(ending.cancel_deletion(call.actor))


class Banks(Endpoint):
    @operation(
        "list_banks",
        "Every bank this credential may read, by name",
        query=NamedListIn,
        answer=BanksOut,
        group="banks",
    )
    def get(self, call: Call) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            found = banks.list_banks(call.actor, after=after, limit=limit, **filters)
            return [bank_reply(access) for access in found.items], found.next_cursor

        return call.page("banks", rows, of="banks")

    @operation(
        "create_bank",
        "Make a bank (people)",
        body=BankIn,
        answers={201: BankOut},
        group="banks",
    )
    def post(self, call: Call) -> Reply:
        bank = banks.create_bank(call.actor, **call.given)
        return Reply(status=201, body=bank_reply(banks.get_bank(call.actor, bank.id)))


class OneBank(Endpoint):
    @operation("get_bank", "One bank by id or slug", answer=BankOut, group="banks")
    def get(self, call: Call, bank: str) -> Body:
        return bank_reply(banks.get_bank(call.actor, bank))

    @operation(
        "update_bank",
        "Change a bank's tunable settings (administrators, and its maker)",
        body=BankChangesIn,
        answer=BankOut,
        group="banks",
    )
    def patch(self, call: Call, bank: str) -> Body:
        changed = banks.update_bank(call.actor, bank, **call.given)
        return bank_reply(banks.get_bank(call.actor, changed.id))

    @operation(
        "delete_bank",
        "Put a bank into the bin for 30 days (administrators, and its maker)",
        query=BankDeletionIn,
        answer=BinnedBankOut,
        group="banks",
    )
    def delete(self, call: Call, bank: str) -> Body:
        return binned_reply(bank_bin.binned(bank_bin.bin_bank(call.actor, bank, **call.where)))


class RestoreBank(Endpoint):
    @operation(
        "restore_bank",
        "Take a bank out of the bin by its id (administrators, and its maker)",
        answer=BankOut,
        group="banks",
    )
    def post(self, call: Call, bank: str) -> Body:
        restored = bank_bin.restore_bank(call.actor, bank)
        return bank_reply(banks.get_bank(call.actor, restored.id))


class BinnedBanks(Endpoint):
    @operation(
        "list_binned_banks",
        "Banks in the bin, the latest made first (people)",
        query=PageIn,
        answer=BinnedBanksOut,
        group="banks",
    )
    def get(self, call: Call) -> Body:
        def rows(_: dict[str, Any], after: str | None, limit: int) -> Any:
            found = bank_bin.list_binned(call.actor, after=after, limit=limit)
            return [binned_reply(binned) for binned in found.items], found.next_cursor

        return call.page("banks", rows, of="binned banks")
