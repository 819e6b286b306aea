"""The review queue, as REST takes and gives it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.models import Proposal
from memory_app.queries.proposals import PAGE_LIMIT
from memory_app.rest.fields import Choice, Integer, Label, Names
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.memories import MemoryOut
from memory_app.services.asking import REASON_LIMIT, WISHES
from memory_app.services.bulk.deciding import OFFERED
from memory_app.services.bulk.selection import IDS_LIMIT
from memory_app.services.proposals import DECISIONS

PROPOSAL_KINDS = tuple(Proposal.Kind.values)
DECISIONS_OF_MANY = tuple(dict.fromkeys(one for offered in OFFERED.values() for one in offered))
PROPOSAL_STATUSES = tuple(Proposal.Status.values)


class UpkeepListIn(PageIn):
    limit = Integer(least=1, most=PAGE_LIMIT, required=False, help_text="50 when absent.")


class ProposalListIn(UpkeepListIn):
    kind = Choice(choices=PROPOSAL_KINDS, required=False)


class ProposalOut(serializers.Serializer[Any]):
    """Two memories that a person should look at, as they are now; of a retirement both are the same."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=PROPOSAL_KINDS)
    status = serializers.ChoiceField(choices=PROPOSAL_STATUSES)
    confidence = serializers.FloatField()
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    old = MemoryOut()
    new = MemoryOut()
    reason = serializers.CharField(required=False, help_text="Of whoever asked.")
    decision = serializers.CharField(required=False)
    decided_by = serializers.CharField(required=False)
    decided_at = serializers.DateTimeField(required=False)


class ProposalPageOut(serializers.Serializer[Any]):
    proposals = ProposalOut(many=True)
    next_cursor = serializers.CharField(required=False)


class ProposalIn(serializers.Serializer[Any]):
    """What people are asked to do."""

    action = Choice(
        choices=WISHES,
        help_text="retire the memory, replace it by the other, or merge the other into it.",
    )
    memory = Label(least=1, help_text="Id or slug of the memory.")
    other = Label(least=1, required=False, help_text="Id or slug; for replace and merge.")
    reason = Label(limit=REASON_LIMIT, least=1, help_text="Shown to whoever decides.")


class DecisionsIn(serializers.Serializer[Any]):
    """One decision on many questions of a kind."""

    kind = Choice(choices=tuple(OFFERED))
    decision = Choice(choices=DECISIONS_OF_MANY, help_text="One that the kind offers.")
    ids = Names(
        most=IDS_LIMIT,
        required=False,
        help_text="Ids of proposals, of pinned memories for pins; all that wait when absent.",
    )


class DecisionIn(serializers.Serializer[Any]):
    decision = Choice(choices=DECISIONS)
