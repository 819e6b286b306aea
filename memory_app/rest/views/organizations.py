"""The credential's organization, and its banks."""

from __future__ import annotations

from accounts.services import organizations
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.replies import bank_reply, organization_reply
from memory_app.rest.serializers.access import (
    BankChangesIn,
    BankIn,
    BankOut,
    BanksOut,
    OrganizationIn,
    OrganizationOut,
)
from memory_app.services import banks
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
        "Rename it, or set its daily cap (owners)",
        body=OrganizationIn,
        answer=OrganizationOut,
        group="organization",
    )
    def patch(self, call: Call) -> Body:
        return organization_reply(organizations.update_organization(call.actor, **call.given))


class Banks(Endpoint):
    @operation("list_banks", "Every bank this credential may read", answer=BanksOut, group="banks")
    def get(self, call: Call) -> Body:
        return {"banks": [bank_reply(access) for access in banks.list_banks(call.actor)]}

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
