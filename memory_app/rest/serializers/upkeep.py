"""The review queue, as REST takes and gives it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.models import Proposal
from memory_app.queries.proposals import PAGE_LIMIT
from memory_app.rest.fields import Choice, Integer
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.memories import MemoryOut
from memory_app.services.proposals import DECISIONS

PROPOSAL_KINDS = tuple(Proposal.Kind.values)
PROPOSAL_STATUSES = tuple(Proposal.Status.values)


class UpkeepListIn(PageIn):
    limit = Integer(least=1, most=PAGE_LIMIT, required=False, help_text="50 when absent.")


class ProposalListIn(UpkeepListIn):
    kind = Choice(choices=PROPOSAL_KINDS, required=False)


class ProposalOut(serializers.Serializer[Any]):
    """Two memories that a person should look at, as they are now."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=PROPOSAL_KINDS)
    status = serializers.ChoiceField(choices=PROPOSAL_STATUSES)
    confidence = serializers.FloatField()
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    old = MemoryOut()
    new = MemoryOut()
    decision = serializers.CharField(required=False)
    decided_by = serializers.CharField(required=False)
    decided_at = serializers.DateTimeField(required=False)


class ProposalPageOut(serializers.Serializer[Any]):
    proposals = ProposalOut(many=True)
    next_cursor = serializers.CharField(required=False)


class DecisionIn(serializers.Serializer[Any]):
    decision = Choice(choices=DECISIONS)
