"""Banks as rows of the list, and a bank's settings as fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from dashboard.place import Place
from memory_app.models import Bank
from memory_app.queries.access import Access
from memory_app.services.bank_bin import BinnedBank
from memory_app.services.banks import FIXED
from memory_app.services.sample_bank import is_sample


@dataclass(frozen=True, slots=True, kw_only=True)
class BankRow:
    name: str
    slug: str
    description: str
    private: bool
    created_at: datetime
    url: str
    settings_url: str
    sample: bool
    delete_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BinnedRow:
    id: str
    name: str
    deleted_at: datetime | None
    purged_after: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberField:
    name: str
    label: str
    help: str
    value: str
    least: str
    most: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedField:
    label: str
    value: str
    why: str


NUMBERS = (
    ("duplicate_threshold", "Same memory above", "Two texts this close in meaning may be one.", 1),
    ("related_threshold", "Compare above", "Closer than this, the judge is asked about a pair.", 1),
    ("verdict_threshold", "Ask people above", "Surer than this, the judge’s doubt is proposed.", 1),
    ("acting_threshold", "Act alone above", "Surer than this, the judge retires by itself.", 1),
    ("auto_link_threshold", "Link neighbours above", "With automatic links switched on.", 1),
    (
        "freshness_weight",
        "Weight of freshness",
        "How much newer counts in recall; at most 0.5.",
        0.5,
    ),
)
DAYS = (
    ("freshness_days", "Freshness fades over", "Days after which half of the bonus is gone."),
    (
        "history_days",
        "Keep old versions for",
        "Days; the ledger and the present text stay for good.",
    ),
)
_LABELS = {
    "slug": "Address",
    "embedding_model": "Embedding model",
    "dimensions": "Length of a vector",
    "text_search": "Language of word search",
    "chunker": "How long texts are cut",
}


def present_banks(place: Place, banks: Iterable[Access]) -> tuple[BankRow, ...]:
    return tuple(_bank(replace(place, bank=each.bank.slug), each.bank) for each in banks)


def present_binned(place: Place, banks: Iterable[BinnedBank]) -> tuple[BinnedRow, ...]:
    return tuple(
        BinnedRow(
            id=each.bank.id,
            name=each.bank.name,
            deleted_at=each.bank.deleted_at,
            purged_after=each.purged_after,
        )
        for each in banks
    )


def number_fields(bank: Bank) -> tuple[NumberField, ...]:
    """What can be tuned by a number, with its range."""
    fractions = tuple(
        NumberField(
            name=name,
            label=label,
            help=about,
            value=f"{getattr(bank, name):g}",
            least="0",
            most=f"{most:g}",
            step="0.01",
        )
        for name, label, about, most in NUMBERS
    )
    days = tuple(
        NumberField(
            name=name,
            label=label,
            help=about,
            value=str(getattr(bank, name)),
            least="1",
            most="3650",
            step="1",
        )
        for name, label, about in DAYS
    )
    return fractions + days


def fixed_fields(bank: Bank) -> tuple[FixedField, ...]:
    """What was decided at creation, and why it can't be changed."""
    return tuple(
        FixedField(label=_LABELS[name], value=str(getattr(bank, name)), why=why)
        for name, why in FIXED.items()
    )


def _bank(place: Place, bank: Bank) -> BankRow:
    return BankRow(
        name=bank.name,
        slug=bank.slug,
        description=bank.description,
        private=bank.visibility == Bank.Visibility.PRIVATE,
        created_at=bank.created_at,
        url=place.url("memories"),
        settings_url=place.url("bank-settings"),
        sample=is_sample(bank),
        delete_url=place.url("bank-delete"),
    )
