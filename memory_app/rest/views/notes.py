"""Notes: remember, recall by word and graph, link, newest first, and their hashes."""

from __future__ import annotations

from memory_app.domain.errors import NotFound
from memory_app.domain.stated import parse_link, parse_note
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.notes import (
    HashOut,
    LinkedOut,
    LinkIn,
    NoteIn,
    NoteListIn,
    NoteRecallIn,
    NotesOut,
    NotesRecalledOut,
    RememberedOut,
)
from memory_app.services import expanding, notes
from memory_app.services.idempotency import Reply
from memory_app.services.note_replies import (
    expanded_reply,
    hash_reply,
    linked_reply,
    recent_reply,
    remembered_reply,
)

GROUP = "notes"


class Notes(Endpoint):
    @operation(
        "list_notes", "The newest memories as notes", query=NoteListIn, answer=NotesOut, group=GROUP
    )
    def get(self, call: Call, bank: str) -> Body:
        return recent_reply(notes.recent(call.actor, bank, **call.where))

    @operation(
        "remember_note",
        "Store a note with its entities and relations, or nothing",
        body=NoteIn,
        answers={201: RememberedOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        given = call.given
        draft = parse_note(
            content=given["text"],
            entities=given.get("entities"),
            relations=given.get("relations"),
            tags=given.get("tags"),
            props=given.get("props"),
        )
        return Reply(status=201, body=remembered_reply(notes.remember(call.actor, bank, draft)))


class RecallNotes(Endpoint):
    @operation(
        "recall_notes",
        "Memories by key word and by entity, with the graph around them",
        query=NoteRecallIn,
        answer=NotesRecalledOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        asked = call.where
        found = expanding.recall(
            call.actor,
            bank,
            text=asked.get("query", ""),
            entity=asked.get("entity", ""),
            hops=asked.get("hops", 1),
            limit=asked.get("limit", 10),
        )
        return expanded_reply(found)


class Links(Endpoint):
    @operation(
        "link_entities",
        "State a relationship between two entities, made where the bank doesn't know them",
        body=LinkIn,
        answers={201: LinkedOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        source, target = call.given["source"], call.given["target"]
        relation = parse_link(source, call.given["type"], target, props=call.given.get("props"))
        linked = notes.link(call.actor, bank, source=source, target=target, relation=relation)
        return Reply(status=201, body=linked_reply(linked))


class Hash(Endpoint):
    @operation(
        "verify_hash",
        "Compute a memory's hash anew from what is stored",
        answer=HashOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str, memory: str) -> Body:
        check = notes.verify_hash(call.actor, bank, memory)
        if check is None:
            raise NotFound("memory")
        return hash_reply(check)
