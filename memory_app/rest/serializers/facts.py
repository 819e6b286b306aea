"""Episodes, facts, causes, saves, the audit log and the queue, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.domain.names import NAME_LIMIT
from memory_app.domain.stated import ABOUT_LIMIT, ENTITIES_LIMIT, FACTS_LIMIT
from memory_app.domain.text import QUERY_LIMIT
from memory_app.queries.causes import HOPS_LIMIT
from memory_app.rest.fields import (
    Anything,
    Choice,
    Flag,
    Integer,
    Items,
    Label,
    Moment,
    Names,
    Object,
    Text,
)
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.memories import MemoryOut, NamedMemoryOut
from memory_app.services.documents_queue import DIGEST_LIMIT, PATH_LIMIT, PATHS_LIMIT
from memory_app.services.saves import NOTE_LIMIT

TOP_K_MOST = 50
SECONDS_MOST = 2**35 - 1
DIRECTIONS = ("upstream", "downstream", "both")


class EpisodeIn(serializers.Serializer[Any]):
    """What a session has learned; all of it is stored or nothing."""

    session_id = Label(limit=200)
    entities = Anything(most=ENTITIES_LIMIT, help_text="Objects: name, type, description?.")
    facts = Anything(
        most=FACTS_LIMIT,
        help_text="Objects: source, target, relation_type, fact, confidence, causal_hint?.",
    )
    entity_resolutions = Object(
        required=False, help_text='For each unclear name {"resolved_to": id or "new"}.'
    )
    assume_new = Flag(required=False)
    project = Label(required=False)


class StoredFactOut(serializers.Serializer[Any]):
    fact_id = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    target = serializers.CharField()
    relation_type = serializers.CharField()
    fact = serializers.CharField()
    status = serializers.CharField()


class SupersededOut(serializers.Serializer[Any]):
    fact_id = serializers.CharField()
    by = serializers.CharField()


class ResolvedOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    resolved = serializers.CharField()


class EpisodeOut(serializers.Serializer[Any]):
    """Whether it was stored; where not, the candidates for each unclear name."""

    stored = serializers.BooleanField()
    not_stored = serializers.IntegerField(required=False)
    retryable = serializers.BooleanField(required=False)
    facts = StoredFactOut(many=True)
    superseded = SupersededOut(many=True)
    entities = ResolvedOut(many=True)
    ambiguous_entities = serializers.DictField(
        child=serializers.ListField(child=serializers.DictField()), required=False
    )
    related_entities = serializers.ListField(child=serializers.CharField())


class FactsIn(serializers.Serializer[Any]):
    query = Text(limit=QUERY_LIMIT, required=False, help_text="Without it the newest facts.")
    top_k = Integer(least=1, most=TOP_K_MOST, required=False, help_text="10 when absent.")
    digest = Flag(required=False, help_text="The newest active facts, whatever the query.")
    as_of = Integer(least=0, most=SECONDS_MOST, required=False, help_text="Unix seconds.")
    about = Names(
        most=ABOUT_LIMIT, limit=NAME_LIMIT, required=False, help_text="One or two exact names."
    )


class FactOut(serializers.Serializer[Any]):
    """A fact; a plain statement has no source, target and relation."""

    fact_id = serializers.CharField()
    fact = serializers.CharField()
    source = serializers.CharField(required=False)  # type: ignore[assignment]
    target = serializers.CharField(required=False)
    relation_type = serializers.CharField(required=False)
    causal_hint = serializers.CharField(required=False)
    confidence = serializers.CharField(required=False)
    author = serializers.CharField()
    created_at = serializers.DateTimeField()
    status = serializers.CharField()


class BelievedOut(FactOut):
    rank = serializers.IntegerField()
    score = serializers.FloatField(required=False)
    matched = serializers.ListField(child=serializers.CharField())
    truncated = serializers.BooleanField(required=False)
    disputed_by = serializers.ListField(child=serializers.CharField(), required=False)


class DocumentOut(serializers.Serializer[Any]):
    path = serializers.CharField()
    project = serializers.CharField(allow_blank=True)
    queued_at = serializers.DateTimeField()


class FactsOut(serializers.Serializer[Any]):
    facts = BelievedOut(many=True)
    dropped = serializers.DictField(child=serializers.IntegerField(), required=False)
    pending_ingest = DocumentOut(many=True, required=False)


class CausesIn(serializers.Serializer[Any]):
    subject = Text(limit=NAME_LIMIT, least=1, lines=False)
    direction = Choice(choices=DIRECTIONS, required=False, help_text="both when absent.")
    max_hops = Integer(least=1, most=HOPS_LIMIT, required=False, help_text="3 when absent.")


class CausesOut(serializers.Serializer[Any]):
    """Chains of facts, ordered outwards from the subject."""

    causes = serializers.ListField(child=FactOut(many=True))
    effects = serializers.ListField(child=FactOut(many=True))
    contradictions = FactOut(many=True)
    empty_reason = serializers.CharField(required=False)
    truncated = serializers.BooleanField(required=False)


class SaveIn(serializers.Serializer[Any]):
    fact_id = Label(help_text="A fact that a read of this bank returned.")
    note = Text(limit=NOTE_LIMIT, least=1)


class SaveOut(serializers.Serializer[Any]):
    recorded = serializers.BooleanField()
    counted = serializers.BooleanField()
    writer = serializers.CharField()
    reader = serializers.CharField()


class AuditIn(PageIn):
    since = Moment(required=False)


class AuditEntryOut(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    operation = serializers.CharField()
    actor = serializers.CharField()
    target = serializers.CharField()
    reason = serializers.CharField()
    seq = serializers.IntegerField()
    tool = serializers.CharField(required=False)


class AuditPageOut(serializers.Serializer[Any]):
    entries = AuditEntryOut(many=True)
    next_cursor = serializers.CharField(required=False)


class DocumentListIn(PageIn):
    project = Label(required=False)


class DocumentPageOut(serializers.Serializer[Any]):
    documents = DocumentOut(many=True)
    next_cursor = serializers.CharField(required=False)


class DocumentIn(serializers.Serializer[Any]):
    path = Text(limit=PATH_LIMIT, least=1, lines=False)
    digest = Label(
        limit=DIGEST_LIMIT, required=False, help_text="Hash of the file: unchanged ones don't wait."
    )


class DocumentsIn(serializers.Serializer[Any]):
    documents = Items(child=DocumentIn(), most=PATHS_LIMIT)
    project = Label(required=False)


class QueuedOut(serializers.Serializer[Any]):
    documents = DocumentOut(many=True)
    unchanged = serializers.ListField(child=serializers.CharField())


class CloseIn(serializers.Serializer[Any]):
    paths = Names(most=PATHS_LIMIT, limit=PATH_LIMIT)
    session_id = Label(limit=200, required=False)


class ClosedOut(serializers.Serializer[Any]):
    closed = serializers.ListField(child=serializers.CharField())
    unknown = serializers.ListField(child=serializers.CharField())


class WrittenOut(serializers.Serializer[Any]):
    author = serializers.CharField()
    author_name = serializers.CharField(required=False)
    at = serializers.DateTimeField()
    watermark = serializers.IntegerField()
    tool = serializers.CharField(required=False)
    door = serializers.CharField(required=False)
    project = serializers.CharField(required=False)
    session = serializers.CharField(required=False)


class ResolutionOut(serializers.Serializer[Any]):
    """How a name of the memory found its entity: new, existing, alias or chosen."""

    name = serializers.CharField()
    entity = serializers.CharField()
    entity_name = serializers.CharField()
    resolved = serializers.CharField()
    since = serializers.IntegerField()
    until = serializers.IntegerField(required=False)


class ServedOut(serializers.Serializer[Any]):
    recall = serializers.CharField()
    at = serializers.DateTimeField()
    reader = serializers.CharField()
    query = serializers.CharField(allow_blank=True)
    tool = serializers.CharField(required=False)
    rank = serializers.IntegerField(required=False)
    score = serializers.FloatField(required=False)


class SavingOut(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    reader = serializers.CharField()
    note = serializers.CharField()
    counted = serializers.BooleanField()
    recall = serializers.CharField()


class ChangeOut(serializers.Serializer[Any]):
    seq = serializers.IntegerField()
    at = serializers.DateTimeField()
    operation = serializers.CharField()
    actor = serializers.CharField()
    reason = serializers.CharField(required=False)
    tool = serializers.CharField(required=False)
    door = serializers.CharField(required=False)


class SuccessorOut(NamedMemoryOut):
    reason = serializers.CharField(required=False)
    at = serializers.DateTimeField(required=False)


class WhyOut(serializers.Serializer[Any]):
    """Where a memory comes from, whom it served, and what became of it."""

    memory = MemoryOut()
    written = WrittenOut()
    resolutions = ResolutionOut(many=True)
    recalls = ServedOut(many=True)
    saves = SavingOut(many=True)
    changes = ChangeOut(many=True)
    supersedes = NamedMemoryOut(many=True)
    superseded_by = SuccessorOut(required=False)
