"""Observations by slug: add, read in full, update, delete."""

from __future__ import annotations

from memory_app.domain.observing import (
    parse_described,
    parse_edges,
    parse_names,
    parse_observation,
)
from memory_app.domain.values import parse_changes
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.graph import (
    ObservationChangesIn,
    ObservationDeletedOut,
    ObservationIn,
    ObservationReadOut,
    ObservationWrittenOut,
)
from memory_app.services import observations
from memory_app.services.graph_replies import deleted_reply, read_reply, written_reply
from memory_app.services.idempotency import Reply

GROUP = "graph"
_NO_FIELDS = (
    "expected_watermark",
    "entities",
    "relationships",
    "remove_entities",
    "remove_relationships",
)


class Observations(Endpoint):
    @operation(
        "add_observation",
        "Save an observation with its entities and relationships",
        body=ObservationIn,
        answers={201: ObservationWrittenOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        draft = parse_observation(call.given, default_source=call.actor.client)
        written = observations.add_observation(call.actor, bank, draft)
        return Reply(status=201, body=written_reply(written))


class OneObservation(Endpoint):
    @operation(
        "read_observation", "One observation in full", answer=ObservationReadOut, group=GROUP
    )
    def get(self, call: Call, bank: str, memory: str) -> Body:
        return read_reply(observations.read_observation(call.actor, bank, memory))

    @operation(
        "update_observation",
        "Change fields and unite the graph, unless somebody else has changed it meanwhile",
        body=ObservationChangesIn,
        answer=ObservationWrittenOut,
        group=GROUP,
    )
    def patch(self, call: Call, bank: str, memory: str) -> Body:
        given = call.given
        graph = observations.GraphChanges(
            entities=parse_described(given.get("entities")),
            relations=parse_edges(given.get("relationships")),
            remove_entities=parse_names(given.get("remove_entities"), field="remove_entities"),
            remove_relations=parse_edges(
                given.get("remove_relationships"), field="remove_relationships"
            ),
        )
        plain = {name: value for name, value in given.items() if name not in _NO_FIELDS}
        written = observations.update_observation(
            call.actor,
            bank,
            memory,
            parse_changes(plain),
            graph,
            expected_watermark=call.expected_watermark,
        )
        return written_reply(written)

    @operation(
        "delete_observation",
        "Put an observation into the bin with what only it backed",
        answer=ObservationDeletedOut,
        group=GROUP,
    )
    def delete(self, call: Call, bank: str, memory: str) -> Body:
        return deleted_reply(observations.delete_observation(call.actor, bank, memory))
