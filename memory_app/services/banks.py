"""Banks: made by people, seen as their visibility says, tuned except for what is fixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from django.db import IntegrityError, connection

from accounts.actor import Actor
from accounts.models import Agent
from accounts.queries.pages import Page
from accounts.roles import holds, require_own, require_role
from accounts.services.audit import record
from accounts.slugs import choose_slug, slug_taken
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, FixedSetting, InvalidArgument
from memory_app.domain.ids import from_uuid, to_uuid
from memory_app.domain.text import clean
from memory_app.domain.values import parse_fraction, parse_integer
from memory_app.models import Bank, BankSlug, LedgerContent, LedgerEntry
from memory_app.providers.embedding import get_embedder
from memory_app.queries.access import Access, accesses_page, resolve
from memory_app.services import ledger
from memory_app.writing.chunking import CHUNKERS

NAME_LIMIT = 120
DESCRIPTION_LIMIT = 500
DAYS_LIMIT = 3_650

FIXED = {
    "embedding_model": "vectors of two models can't be compared; a re-embedding changes it",
    "dimensions": "vectors of two lengths can't be compared",
    "text_search": "every stored text is folded by the language chosen at creation",
    "chunker": "every stored text is cut by the chunker chosen at creation",
    "slug": "agents' addresses hold it",
}


def create_bank(
    actor: Actor,
    *,
    name: object,
    slug: object = None,
    visibility: object = None,
    description: object = None,
    embedding_model: object = None,
    text_search: object = None,
    chunker: object = None,
    first: Callable[[], object] = lambda: None,
) -> Bank:
    """A new, empty bank. Members may; its maker sees it also when it is private.

    `first` is called in its transaction. The embedding model is the server's own. Raises `Conflict`
    when a slug was given and is taken.
    """
    require_role(actor, "member", to="create a bank")
    embedder = get_embedder()
    cleaned = clean(name, field="name", limit=NAME_LIMIT, least=1, lines=False)
    values = {
        "name": cleaned,
        "visibility": _choice(visibility or "organization", "visibility", Bank.Visibility.values),
        "description": clean(description or "", field="description", limit=DESCRIPTION_LIMIT),
        "embedding_model": _choice(
            embedding_model or embedder.model_id, "embedding_model", [embedder.model_id]
        ),
        "dimensions": embedder.dimensions,
        "text_search": _choice(text_search or "english", "text_search", _languages()),
        "chunker": _choice(chunker or "paragraphs", "chunker", list(CHUNKERS)),
    }
    chosen = ""
    try:
        with acting_as(actor):
            first()
            taken = BankSlug.objects.filter(organization_id=actor.organization_id)
            chosen = choose_slug(
                slug, cleaned, taken=lambda slug: taken.filter(slug=slug).exists(), kind="bank"
            )
            bank = Bank.objects.create(
                organization_id=actor.organization_id,
                slug=chosen,
                created_by=actor.id,
                **values,
            )
            BankSlug.objects.create(
                organization_id=actor.organization_id, slug=chosen, bank_id=bank.id
            )
            record(actor, "bank.created", bank.id, name=cleaned, visibility=bank.visibility)
    except IntegrityError:
        raise slug_taken(chosen, "bank") from None
    return bank


def own_bank(actor: Actor) -> str:
    """The id of an agent's own bank, made at its first use: private, and `full` for that agent alone.

    Administrators see it like every private bank. Raises `InvalidArgument` for anyone but an agent.
    """
    if actor.kind != "agent":
        raise InvalidArgument(
            "Only an agent has a bank of its own.", hint="Use the scope 'shared'.", field="scope"
        )
    # The same id for every first use, so that two at once make one bank.
    bank_id = from_uuid("bank", to_uuid("agent", actor.id))
    with acting_as(actor):
        if Bank.objects.filter(id=bank_id).exists():
            return bank_id
    try:
        with acting_as(actor):
            _make_own(actor, bank_id)
    except IntegrityError:
        with acting_as(actor):
            if not Bank.objects.filter(id=bank_id).exists():
                raise slug_taken("solo", "bank") from None
    return bank_id


def _make_own(actor: Actor, bank_id: str) -> None:
    agent = Agent.objects.get(organization_id=actor.organization_id, id=actor.id)
    embedder = get_embedder()
    taken = BankSlug.objects.filter(organization_id=actor.organization_id)
    name = f"solo {agent.slug}"
    slug = choose_slug(None, name, taken=lambda slug: taken.filter(slug=slug).exists(), kind="bank")
    bank = Bank.objects.create(
        id=bank_id,
        organization_id=actor.organization_id,
        slug=slug,
        name=f"{agent.name} (solo)"[:NAME_LIMIT],
        visibility=Bank.Visibility.PRIVATE,
        created_by=actor.id,
        embedding_model=embedder.model_id,
        dimensions=embedder.dimensions,
        text_search="english",
        chunker="paragraphs",
    )
    BankSlug.objects.create(organization_id=actor.organization_id, slug=slug, bank_id=bank.id)
    record(actor, "bank.created", bank.id, name=bank.name, visibility=bank.visibility)


def update_bank(actor: Actor, bank: str, **changes: object) -> Bank:
    """Change what is tunable, with one ledger entry that holds before and after.

    Administrators, and the bank's maker. Raises `FixedSetting` with the reason for what was decided
    at creation (A18), and `InvalidArgument` for an unknown name.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        require_own(actor, access.bank.created_by, to="change this bank's settings")
        values = _parse_changes(access.bank, changes)
        with ledger.opened(access) as book:
            before = {name: getattr(book.bank, name) for name in values}
            changed = {name: value for name, value in values.items() if before[name] != value}
            if changed:
                _check_thresholds(book.bank, changed)
                Bank.objects.filter(id=book.bank.id).update(**changed)
                was = {name: before[name] for name in changed}
                book.append("bank.updated", book.bank.id, content={"before": was, "after": changed})
                record(actor, "bank.updated", book.bank.id, before=was, after=changed)
        return Bank.objects.get(id=access.bank.id)


def last_update(actor: Actor, bank: str) -> int | None:
    """The ledger's number of the newest change of a bank's settings; None where there is none."""
    with acting_as(actor):
        last = _last_update(resolve(actor, bank))
        return last.seq if last is not None else None


def undo_update(actor: Actor, bank: str, watermark: int) -> Bank:
    """Give the settings back that stood before that change, unless it isn't the newest any more.

    Administrators, and the bank's maker. Raises `Conflict` for anything but the newest change.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        last = _last_update(access)
        content = LedgerContent.objects.filter(bank_id=access.bank.id, seq=watermark).first()
    if last is None or last.seq != watermark or content is None:
        raise Conflict(
            "The settings have been changed since; this can't be taken back any more.",
            hint="Change them by hand.",
        )
    return update_bank(actor, bank, **content.content["before"])


def _last_update(access: Access) -> LedgerEntry | None:
    entries = LedgerEntry.objects.filter(bank_id=access.bank.id, target=access.bank.id)
    return entries.filter(operation="bank.updated").order_by("-seq").first()


def list_banks(
    actor: Actor, *, name: str = "", after: str | None = None, limit: int = 50
) -> Page[Access]:
    """A page of the banks that the actor may read, by name, with its tier there."""
    with acting_as(actor):
        return accesses_page(actor, named=name, after=after, limit=limit)


def get_bank(actor: Actor, bank: str | None) -> Access:
    """The actor's access to one bank. Raises `NotFound` alike for unknown and for hidden ones."""
    with acting_as(actor):
        return resolve(actor, bank)


def may_tune(actor: Actor, bank: Bank) -> bool:
    """Whether `update_bank` would be allowed; for forms that shouldn't be shown otherwise."""
    return holds(actor, "admin") or (holds(actor, "member") and bank.created_by == actor.id)


def _parse_changes(bank: Bank, changes: Mapping[str, object]) -> dict[str, Any]:
    for name, value in changes.items():
        if name in FIXED and value is not None and value != getattr(bank, name):
            raise FixedSetting(
                f"{name} was fixed when the bank was created: {FIXED[name]}.",
                hint="Create a bank with the other setting and move the memories there.",
                field=name,
            )
        if name not in FIXED and name not in _TUNABLE:
            raise InvalidArgument(
                f"A bank has no setting {name!r:.40}.",
                hint=f"Settings: {', '.join(_TUNABLE)}.",
                field=name[:40],
            )
    return {
        name: _TUNABLE[name](value, name)
        for name, value in changes.items()
        if name in _TUNABLE and value is not None
    }


def _check_thresholds(bank: Bank, changed: Mapping[str, Any]) -> None:
    for low, high in (
        ("related_threshold", "duplicate_threshold"),
        ("verdict_threshold", "acting_threshold"),
    ):
        lower = changed.get(low, getattr(bank, low))
        higher = changed.get(high, getattr(bank, high))
        if lower > higher:
            raise InvalidArgument(
                f"{low} is {lower}; it must not be above {high}, which is {higher}.",
                hint="Change both in one request, or the other one first.",
                field=low if low in changed else high,
            )


def _languages() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT cfgname FROM pg_ts_config ORDER BY cfgname")
        return [row[0] for row in cursor.fetchall()]


def _choice(value: object, field: str, allowed: list[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise InvalidArgument(
            f"{field} must be one of {', '.join(allowed)}, not {value!r:.40}.",
            hint="Leave it out for the default.",
            field=field,
        )
    return value


def _name(value: object, field: str) -> str:
    return clean(value, field=field, limit=NAME_LIMIT, least=1, lines=False)


def _description(value: object, field: str) -> str:
    return clean(value, field=field, limit=DESCRIPTION_LIMIT)


def _visibility(value: object, field: str) -> str:
    return _choice(value, field, Bank.Visibility.values)


def _switch(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidArgument(
            f"{field} must be true or false, not {value!r:.40}.",
            hint=f"Send {field} as a JSON boolean.",
            field=field,
        )
    return value


def _fraction(value: object, field: str) -> float:
    return cast(float, parse_fraction(value, field=field))


def _weight(value: object, field: str) -> float:
    weight = _fraction(value, field)
    if weight > 0.5:
        raise InvalidArgument(
            f"{field} is {weight}; the limit is 0.5.", hint="The default is 0.1.", field=field
        )
    return weight


def _days(value: object, field: str) -> int:
    return parse_integer(value, field=field, least=1, most=DAYS_LIMIT, default=1)


_TUNABLE: dict[str, Callable[[object, str], Any]] = {
    "name": _name,
    "description": _description,
    "visibility": _visibility,
    "auto_link": _switch,
    "auto_link_threshold": _fraction,
    "duplicate_threshold": _fraction,
    "related_threshold": _fraction,
    "verdict_threshold": _fraction,
    "acting_threshold": _fraction,
    "freshness_weight": _weight,
    "freshness_days": _days,
    "history_days": _days,
    "review_mode": _switch,
}
