"""Observations, entities, relationships and the picture of the graph, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.domain.files import DESCRIPTION_LIMIT, PATH_LIMIT
from memory_app.domain.names import DESCRIPTION_LIMIT as DESCRIPTION_MOST
from memory_app.domain.names import NAME_LIMIT, RELATION_LIMIT, TYPE_LIMIT
from memory_app.domain.stated import ENTITIES_LIMIT, RELATIONS_LIMIT
from memory_app.domain.text import QUERY_LIMIT
from memory_app.models import Proposal
from memory_app.queries.subgraph import ENTITIES_LIMIT as SHOWN_LIMIT
from memory_app.queries.surroundings import DEPTH_LIMIT
from memory_app.rest.fields import (
    Anything,
    Choice,
    Flag,
    Integer,
    Label,
    Moment,
    Names,
    Tags,
    Text,
)
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.memories import WATERMARK_MOST, ChangesIn, DraftIn, MemoryOut
from memory_app.services.graph.splitting import MEMORIES_LIMIT

NODES_LIMIT = 5_000
MERGE_STATUSES = tuple(Proposal.Status.values)


class ObservationIn(DraftIn):
    """A memory with what it is about; every entity needs a description."""

    entities = Anything(
        most=ENTITIES_LIMIT,
        required=False,
        help_text="Objects: name, description, type?, queries?.",
    )
    relationships = Anything(
        most=RELATIONS_LIMIT,
        required=False,
        help_text="Objects: source, type, target, description?, weight?.",
    )


class ObservationChangesIn(ChangesIn):
    """Fields that change, entities and relationships to unite, and what to remove."""

    entities = Anything(most=ENTITIES_LIMIT, required=False)
    relationships = Anything(most=RELATIONS_LIMIT, required=False)
    remove_entities = Names(most=ENTITIES_LIMIT, limit=NAME_LIMIT, required=False)
    remove_relationships = Anything(most=RELATIONS_LIMIT, required=False)


class SubgraphIn(serializers.Serializer[Any]):
    """With a query semantic, without one structural; filters narrow both."""

    query = Text(limit=QUERY_LIMIT, required=False)
    category = Label(required=False)
    tags = Tags(required=False)
    observed_from = Moment(required=False)
    observed_to = Moment(required=False)
    entity = Label(limit=NAME_LIMIT, required=False, help_text="Name, alias or id.")
    limit = Integer(
        least=1, most=SHOWN_LIMIT, required=False, help_text="Entities; 50 when absent."
    )
    as_of = Moment(required=False, help_text="Answer with what the bank held then.")


class AsOfIn(serializers.Serializer[Any]):
    as_of = Moment(required=False, help_text="Answer with what the bank held then.")


class PictureIn(AsOfIn):
    limit = Integer(
        least=1, most=NODES_LIMIT, required=False, help_text="Entities; 300 when absent."
    )


class ViewIn(PictureIn):
    """Around one entity or the best connected; filters hold for what is added around it."""

    focus = Label(limit=NAME_LIMIT, required=False, help_text="Name, alias or id to start from.")
    depth = Integer(
        least=1, most=DEPTH_LIMIT, required=False, help_text="Steps from focus; 1 when absent."
    )
    type = Label(limit=TYPE_LIMIT, required=False, help_text="Type of the entities.")
    relation = Label(limit=RELATION_LIMIT, required=False, help_text="Type of the relationships.")
    author = Label(
        required=False, help_text="Id of the agent or person whose memory backs an edge."
    )
    created_from = Moment(required=False, help_text="Edges backed by a memory from then on.")
    created_to = Moment(required=False, help_text="Edges backed by a memory before then.")


class PathIn(AsOfIn):
    """Two entities, each by name, alias or id."""

    source = Label(limit=NAME_LIMIT)  # type: ignore[assignment]
    target = Label(limit=NAME_LIMIT)


class EntityChangesIn(serializers.Serializer[Any]):
    """What isn't given stays; the old name goes on leading to the entity."""

    name = Text(limit=NAME_LIMIT, least=1, lines=False, required=False)
    type = Text(limit=TYPE_LIMIT, lines=False, required=False)
    description = Text(limit=DESCRIPTION_MOST, required=False)


class AliasIn(serializers.Serializer[Any]):
    name = Text(limit=NAME_LIMIT, least=1, lines=False)


class VariantIn(serializers.Serializer[Any]):
    variant = Label(limit=NAME_LIMIT, help_text="Name, alias or id of the one that goes into it.")


class SplitIn(serializers.Serializer[Any]):
    """The memories that are about another entity, and that one's name."""

    name = Text(limit=NAME_LIMIT, least=1, lines=False)
    memories = Names(most=MEMORIES_LIMIT, limit=60)
    join = Flag(required=False, help_text="Move them to the entity that bears the name already.")


class UndoChangeIn(serializers.Serializer[Any]):
    watermark = Integer(least=1, most=WATERMARK_MOST, help_text="The change's ledger number.")


class EntityListIn(PageIn, AsOfIn):
    text = Text(limit=NAME_LIMIT, required=False, help_text="Part of the name.")
    type = Label(limit=TYPE_LIMIT, required=False)


class RelationshipListIn(PageIn, AsOfIn):
    entity = Label(limit=NAME_LIMIT, required=False, help_text="One of the ends: name or id.")
    type = Label(required=False)


class EntityOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    type = serializers.CharField(required=False)
    description = serializers.CharField(required=False)
    degree = serializers.IntegerField()
    queries = serializers.ListField(child=serializers.CharField(), required=False)
    score = serializers.FloatField(required=False)
    truncated = serializers.BooleanField(required=False)


class RelationshipOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    type = serializers.CharField()
    target = serializers.CharField()
    source_id = serializers.CharField()
    target_id = serializers.CharField()
    weight = serializers.FloatField()
    description = serializers.CharField(required=False)
    props = serializers.DictField(required=False)


class TouchedOut(EntityOut):
    neighbourhood = RelationshipOut(many=True)


class ObservationWrittenOut(serializers.Serializer[Any]):
    observation = MemoryOut()
    entities = TouchedOut(many=True)
    warnings = serializers.ListField(child=serializers.CharField())
    review_hints = serializers.ListField(child=serializers.CharField())
    pruned_entities = serializers.ListField(child=serializers.CharField(), required=False)
    pruned_relationships = serializers.ListField(child=serializers.CharField(), required=False)


class ObservationOut(MemoryOut):
    entities = EntityOut(many=True)
    relationships = RelationshipOut(many=True)


class ObservationReadOut(serializers.Serializer[Any]):
    observation = ObservationOut()


class ObservationDeletedOut(serializers.Serializer[Any]):
    deleted = serializers.BooleanField()
    pruned_entities = serializers.ListField(child=serializers.CharField())
    pruned_relationships = serializers.ListField(child=serializers.CharField())


class SnippetOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    slug = serializers.CharField()
    snippet = serializers.CharField()
    truncated = serializers.BooleanField()
    title = serializers.CharField(required=False)
    category = serializers.CharField(required=False)
    observed_at = serializers.CharField(required=False)
    created_at = serializers.CharField(required=False)


class ReadOut(serializers.Serializer[Any]):
    relationships = RelationshipOut(many=True)
    observations = SnippetOut(many=True)
    note = serializers.CharField(required=False)
    dropped = serializers.DictField(child=serializers.IntegerField(), required=False)
    recall_id = serializers.CharField()
    watermark = serializers.IntegerField()


class SubgraphOut(ReadOut):
    entities = EntityOut(many=True)


class InspectedOut(ReadOut):
    entity = EntityOut()


class EntityPageOut(serializers.Serializer[Any]):
    entities = EntityOut(many=True)
    next_cursor = serializers.CharField(required=False)


class EntityChangedOut(serializers.Serializer[Any]):
    entity = EntityOut()
    aliases = serializers.ListField(child=serializers.CharField())
    watermark = serializers.IntegerField(required=False, help_text="What undo takes.")
    other = EntityOut(required=False)


class PathOut(serializers.Serializer[Any]):
    found = serializers.BooleanField()
    entities = serializers.ListField(child=serializers.CharField())
    relationships = RelationshipOut(many=True)


class RelationshipPageOut(serializers.Serializer[Any]):
    relationships = RelationshipOut(many=True)
    next_cursor = serializers.CharField(required=False)


class NodeOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    type = serializers.CharField(required=False)
    degree = serializers.IntegerField()
    cluster = serializers.CharField(required=False)
    component = serializers.IntegerField(required=False)


class EdgeOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    target = serializers.CharField()
    type = serializers.CharField()
    weight = serializers.FloatField()


class ClusterOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    size = serializers.IntegerField()


class PictureOut(serializers.Serializer[Any]):
    """The best connected entities; node size is degree, ends of edges are ids."""

    nodes = NodeOut(many=True)
    edges = EdgeOut(many=True)
    clusters = ClusterOut(many=True)
    components = serializers.IntegerField()
    total_entities = serializers.IntegerField()
    truncated = serializers.BooleanField()
    watermark = serializers.IntegerField()
    clusters_watermark = serializers.IntegerField(required=False)


class MergeListIn(PageIn):
    status = Choice(choices=MERGE_STATUSES, required=False, help_text="open when absent.")


class MergeAskIn(serializers.Serializer[Any]):
    """Two entities that may be one, by id, name or alias; without any, the bank is looked through."""

    canonical = Label(limit=NAME_LIMIT, required=False, help_text="The one that would stay.")
    variant = Label(limit=NAME_LIMIT, required=False, help_text="The one that would go into it.")


class MergedEntityOut(EntityOut):
    role = serializers.ChoiceField(choices=("canonical", "variant"))


class MergeOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    kind = serializers.CharField()
    status = serializers.CharField()
    confidence = serializers.FloatField()
    evidence = serializers.DictField()
    entities = MergedEntityOut(many=True)
    created_by = serializers.CharField()
    created_at = serializers.CharField()
    decided_by = serializers.CharField(required=False)
    decided_at = serializers.CharField(required=False)


class MergePageOut(serializers.Serializer[Any]):
    proposals = MergeOut(many=True)
    next_cursor = serializers.CharField(required=False)


class MergesOut(serializers.Serializer[Any]):
    proposals = MergeOut(many=True)


class FileListIn(PageIn):
    text = Text(limit=QUERY_LIMIT, required=False, help_text="Words in path, description or tags.")
    path = Label(limit=PATH_LIMIT, required=False, help_text="One path, or a folder of paths.")


class UploadIn(serializers.Serializer[Any]):
    """Where the body's bytes go, and what is said of them."""

    path = Text(limit=PATH_LIMIT, lines=False, help_text="Relative, such as `minutes/may.md`.")
    description = Text(limit=DESCRIPTION_LIMIT, required=False)
    tags = Tags(required=False)


class FileOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    path = serializers.CharField()
    filename = serializers.CharField()
    type = serializers.CharField(help_text="Sniffed from the bytes.")
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    version = serializers.IntegerField()
    current = serializers.BooleanField()
    created_by = serializers.CharField()
    created_at = serializers.CharField()
    description = serializers.CharField(required=False)


class FilePageOut(serializers.Serializer[Any]):
    files = FileOut(many=True)
    next_cursor = serializers.CharField(required=False)


class FileVersionsOut(serializers.Serializer[Any]):
    files = FileOut(many=True)


class StoredFileOut(serializers.Serializer[Any]):
    status = serializers.CharField(help_text="created, replaced (a new version) or known.")
    file = FileOut()


class DeletedFileOut(serializers.Serializer[Any]):
    deleted = serializers.BooleanField()
    versions = serializers.IntegerField()
