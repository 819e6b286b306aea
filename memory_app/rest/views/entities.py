"""Curating one entity: its name, its aliases, merging and splitting it, and taking that back."""

from __future__ import annotations

from memory_app.queries.entities import alias_names
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.graph import (
    AliasIn,
    EntityChangedOut,
    EntityChangesIn,
    EntityOut,
    MergeOut,
    SplitIn,
    UndoChangeIn,
    VariantIn,
)
from memory_app.services import consolidating, entities
from memory_app.services.entities import Changed
from memory_app.services.graph import resolution
from memory_app.services.graph_replies import changed_reply, entity_reply, merge_reply

GROUP = "graph"


class OneEntity(Endpoint):
    @operation("get_entity", "One entity by id, name or alias", answer=EntityOut, group=GROUP)
    def get(self, call: Call, bank: str, entity: str) -> Body:
        with call.reading(bank) as access:
            return entity_reply(resolution.find(access.bank.id, entity))

    @operation(
        "update_entity",
        "Rename or describe an entity",
        body=EntityChangesIn,
        answer=EntityChangedOut,
        group=GROUP,
    )
    def patch(self, call: Call, bank: str, entity: str) -> Body:
        changes = entities.parse_changes(**call.given)
        return _answer(call, bank, entities.change(call.actor, bank, entity, changes))


class Aliases(Endpoint):
    @operation(
        "add_alias",
        "One more name that leads to the entity",
        body=AliasIn,
        answer=EntityChangedOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, entity: str) -> Body:
        changed = entities.add_alias(call.actor, bank, entity, call.given["name"])
        return _answer(call, bank, changed)


class RemoveAlias(Endpoint):
    @operation(
        "remove_alias",
        "Let a name lead to the entity no longer",
        body=AliasIn,
        answer=EntityChangedOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, entity: str) -> Body:
        changed = entities.remove_alias(call.actor, bank, entity, call.given["name"])
        return _answer(call, bank, changed)


class MergeEntity(Endpoint):
    @operation(
        "merge_entity",
        "Merge another entity into this one at once (people)",
        body=VariantIn,
        answer=MergeOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, entity: str) -> Body:
        variant = call.given["variant"]
        return merge_reply(consolidating.merge(call.actor, bank, canonical=entity, variant=variant))


class SplitEntity(Endpoint):
    @operation(
        "split_entity",
        "Some memories are about another entity: move what they say to it",
        body=SplitIn,
        answer=EntityChangedOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, entity: str) -> Body:
        return _answer(call, bank, entities.split(call.actor, bank, entity, **call.given))


class UndoEntityChange(Endpoint):
    @operation(
        "undo_entity_change",
        "Take a change of the entity back, by its ledger number",
        body=UndoChangeIn,
        answer=EntityChangedOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, entity: str) -> Body:
        changed = entities.undo(call.actor, bank, entity, call.given["watermark"])
        return _answer(call, bank, changed)


def _answer(call: Call, bank: str, changed: Changed) -> Body:
    with call.reading(bank) as access:
        known = alias_names(access, [changed.entity.id])
    return changed_reply(changed, known.get(changed.entity.id, []))
