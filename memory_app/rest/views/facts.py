"""Episodes, what is believed, chains of causes, recall saves and provenance."""

from __future__ import annotations

from memory_app.domain.stated import parse_about, parse_episode
from memory_app.queries import provenance
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.facts import (
    CausesIn,
    CausesOut,
    EpisodeIn,
    EpisodeOut,
    FactsIn,
    FactsOut,
    SaveIn,
    SaveOut,
    WhyOut,
)
from memory_app.services import episodes, facts, saves, tracing
from memory_app.services.fact_replies import (
    causes_reply,
    episode_reply,
    facts_reply,
    save_reply,
    why_reply,
)
from memory_app.services.idempotency import Reply

GROUP = "facts"


class Episodes(Endpoint):
    @operation(
        "write_episode",
        "Store entities and the facts between them, all or nothing",
        body=EpisodeIn,
        answers={200: EpisodeOut, 201: EpisodeOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        episode = parse_episode(**call.given)
        written = episodes.write_episode(call.actor, bank, episode)
        body = episode_reply(written, facts=len(episode.facts))
        return Reply(status=201 if written.stored else 200, body=body)


class Facts(Endpoint):
    @operation(
        "search_facts", "What is believed, now or then", query=FactsIn, answer=FactsOut, group=GROUP
    )
    def get(self, call: Call, bank: str) -> Body:
        asked = call.where
        answer = facts.query(
            call.actor,
            bank,
            text=asked.get("query", ""),
            limit=asked.get("top_k", 10),
            about=parse_about(asked.get("about")),
            digest=asked.get("digest", False),
            as_of=facts.parse_instant_seconds(asked.get("as_of")),
        )
        return facts_reply(answer)


class Causes(Endpoint):
    @operation(
        "get_causes",
        "Chains of recorded causes and effects of a subject",
        query=CausesIn,
        answer=CausesOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        found = tracing.trace(
            call.actor,
            bank,
            call.where["subject"],
            direction=call.where.get("direction", "both"),
            hops=call.where.get("max_hops", 3),
        )
        return causes_reply(found)


class Saves(Endpoint):
    @operation(
        "record_save",
        "Record that a recalled fact saved its reader work",
        body=SaveIn,
        answer=SaveOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Body:
        given = call.given
        return save_reply(saves.record_save(call.actor, bank, given["fact_id"], given["note"]))


class Why(Endpoint):
    @operation(
        "get_provenance",
        "Who wrote a memory, whom it served and what became of it",
        answer=WhyOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str, memory: str) -> Body:
        with call.reading(bank) as access:
            return why_reply(provenance.why(access, memory))
