"""The operator at the command line: which bank it means, and as whom it acts there."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.actor import COMMAND, Actor, system_actor
from accounts.services.organizations import find_organization
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.models import BankSlug
from memory_app.queries.jobs import every_bank


def operator_in(bank: str, *, organization: str | None = None) -> tuple[Actor, str]:
    """The operator in the bank's organization, and the bank's id, from its slug or id.

    Raises `NotFound`, and `InvalidArgument` when several organizations have a bank of that slug.
    Never for a door: it looks into every organization.
    """
    found = list(_matching(bank, organization))
    if not found:
        raise NotFound("bank")
    if len(found) > 1:
        raise InvalidArgument(
            f"{len(found)} organizations have a bank {bank!r:.80}.",
            hint="Name the organization's slug too, or the bank's id.",
            field="bank",
        )
    return found[0]


def operators() -> Iterator[tuple[Actor, str]]:
    """The operator in every bank there is, with the bank's id."""
    for organization_id, bank_id in every_bank():
        yield system_actor(organization_id, COMMAND, door="command"), bank_id


def _matching(bank: str, organization: str | None) -> Iterator[tuple[Actor, str]]:
    wanted = None if organization is None else find_organization(organization)
    for organization_id in sorted({pair[0] for pair in every_bank()}):
        if organization is not None and organization_id != wanted:
            continue
        operator = system_actor(organization_id, COMMAND, door="command")
        with acting_as(operator):
            slugs = BankSlug.objects.filter(organization_id=organization_id)
            pairs = dict(slugs.values_list("slug", "bank_id"))
        ids = {str(bank_id) for slug, bank_id in pairs.items() if bank in (slug, bank_id)}
        yield from ((operator, bank_id) for bank_id in ids)
