"""Asking a bank: what can be asked over REST, and what is answered."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.domain.names import NAME_LIMIT
from memory_app.domain.stated import ABOUT_LIMIT
from memory_app.domain.text import QUERY_LIMIT, SOURCE_LIMIT
from memory_app.rest.fields import Choice, Flag, Fraction, Integer, Label, Moment, Names, Tags, Text
from memory_app.rest.serializers.memories import MemoryOut

LIMIT_MOST = 50
TOKENS_MOST = 100_000
MODES = ("hybrid", "vector", "keyword", "lookup", "profile")
FUSIONS = ("weighted", "reciprocal_rank")


class FiltersIn(serializers.Serializer[Any]):
    """Conditions of a search; all that are given have to hold."""

    limit = Integer(
        least=1,
        most=LIMIT_MOST,
        required=False,
        help_text="10 for a search and 20 for the profile when absent.",
    )
    tags = Tags(required=False, help_text="Memories that carry all of them.")
    min_score = Fraction(required=False, help_text="Drops what is less similar.")
    category = Label(required=False)
    collection = Label(required=False)
    authors = Names(required=False, help_text="Ids of agents or people, one of whom wrote it.")
    not_authors = Names(required=False)
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]
    created_from = Moment(required=False)
    created_to = Moment(required=False)
    observed_from = Moment(required=False)
    observed_to = Moment(required=False)
    pinned = Flag(required=False)
    about = Names(
        most=ABOUT_LIMIT,
        limit=NAME_LIMIT,
        required=False,
        help_text="One or two exact names of entities.",
    )
    include_retired = Flag(
        required=False, help_text="Also what is outdated, flagged by its status."
    )
    as_of = Moment(required=False, help_text="Answer with what was believed then.")
    max_tokens = Integer(
        least=1, most=TOKENS_MOST, required=False, help_text="Pack the best that fit."
    )


class SearchQueryIn(FiltersIn):
    q = Text(limit=QUERY_LIMIT, required=False, help_text="Without it the answer is the profile.")


class SearchIn(FiltersIn):
    query = Text(
        limit=QUERY_LIMIT, required=False, help_text="Without it the answer is the profile."
    )


class RecallIn(SearchIn):
    """Everything recall can be asked."""

    mode = Choice(choices=MODES, required=False, help_text="hybrid when absent.")
    fusion = Choice(choices=FUSIONS, required=False)
    graph = Flag(
        required=False,
        help_text="Whether the graph's channel takes part; absent: as the server is set.",
    )
    explain = Flag(required=False, help_text="Adds each channel's rank and score, and timings.")


class HitOut(MemoryOut):
    """A memory with where it was found. `score` is the cosine, absent where there is none."""

    rank = serializers.IntegerField()
    score = serializers.FloatField(required=False)
    matched = serializers.ListField(child=serializers.CharField())
    via = serializers.CharField()
    disputed_by = serializers.ListField(child=serializers.CharField(), required=False)
    truncated = serializers.BooleanField(required=False)


class SearchOut(serializers.Serializer[Any]):
    memories = HitOut(many=True)
    profile = serializers.BooleanField()
    dropped = serializers.DictField(child=serializers.IntegerField())
    best_refused_score = serializers.FloatField(required=False)
    recall_id = serializers.CharField()


class ChannelOut(serializers.Serializer[Any]):
    rank = serializers.IntegerField()
    score = serializers.FloatField()


class ExplainedHitOut(HitOut):
    channels = serializers.DictField(child=ChannelOut(), required=False)
    fused = serializers.FloatField(required=False)


class RecallOut(SearchOut):
    memories = ExplainedHitOut(many=True)
    tokens = serializers.IntegerField()
    watermark = serializers.IntegerField()
    timings = serializers.DictField(child=serializers.FloatField(), required=False)
