"""The review queue and imports, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.domain.text import SOURCE_LIMIT
from memory_app.formats.reading import TEXT_LIMIT
from memory_app.models import ImportJob, Proposal
from memory_app.queries.proposals import PAGE_LIMIT
from memory_app.rest.fields import Anything, Choice, Flag, Integer, Label, Raw
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.memories import MemoryOut
from memory_app.services.importing import ITEMS_LIMIT
from memory_app.services.proposals import DECISIONS

PROPOSAL_KINDS = tuple(Proposal.Kind.values)
PROPOSAL_STATUSES = tuple(Proposal.Status.values)
IMPORT_STATUSES = tuple(ImportJob.Status.values)


class ImportListIn(PageIn):
    limit = Integer(least=1, most=PAGE_LIMIT, required=False, help_text="50 when absent.")


class ProposalListIn(ImportListIn):
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


class ImportTextIn(serializers.Serializer[Any]):
    """Pasted text: one memory a line, a JSON list, or JSON lines."""

    text = Raw(limit=TEXT_LIMIT)
    dry_run = Flag(required=False, help_text="Say what would become of each line; store nothing.")
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]


class ImportItemsIn(serializers.Serializer[Any]):
    """A list of texts, or of objects with a `content`, `text`, `memory` or `value`."""

    items = Anything(most=ITEMS_LIMIT)
    dry_run = Flag(required=False)
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]


class ImportLineOut(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    outcome = serializers.CharField()
    text = serializers.CharField()
    memory_id = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)


class ImportOut(serializers.Serializer[Any]):
    """What became of every line. `import_id` is absent after a dry run."""

    import_id = serializers.CharField(required=False)
    format = serializers.CharField()
    status = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())
    lines = ImportLineOut(many=True)


class ImportJobOut(serializers.Serializer[Any]):
    import_id = serializers.CharField()
    actor = serializers.CharField()
    format = serializers.CharField()
    status = serializers.ChoiceField(choices=IMPORT_STATUSES)
    counts = serializers.DictField(child=serializers.IntegerField())
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(required=False)


class ImportPageOut(serializers.Serializer[Any]):
    imports = ImportJobOut(many=True)
    next_cursor = serializers.CharField(required=False)
