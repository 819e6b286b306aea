"""What every table below a bank has."""

from __future__ import annotations

from typing import Any

from django.db import models

from accounts.fields import PrefixedIdField
from accounts.models import Organization
from memory_app.models.banks import Bank


class BelowBank(models.Model):
    """`bank` and `organization` columns without constraints of their own.

    The migration adds one composite foreign key `(organization_id, bank_id)` to the bank instead:
    foreign-key checks ignore row security, so a plain one would let a row hang on another
    organization's bank.
    """

    bank = models.ForeignKey(
        Bank, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    organization = models.ForeignKey(
        Organization, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )

    class Meta:
        abstract = True


def reference(prefix: str, **kwargs: Any) -> PrefixedIdField:
    """The id half of a composite reference inside the same bank."""
    return PrefixedIdField(prefix, **kwargs)
