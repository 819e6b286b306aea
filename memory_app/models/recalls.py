from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Func, Value
from django.db.models.functions import Cast
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank
from memory_app.models.fields import HitsField, ObjectField

_IDS = Func(
    Func(
        Func(
            Cast(
                Func(F("hits"), Value("$[*].id"), function="jsonb_path_query_array"),
                models.TextField(),
            ),
            Value('[]" '),
            Value(""),
            function="translate",
            output_field=models.TextField(),
        ),
        Value(","),
        function="string_to_array",
        output_field=models.TextField(),
    ),
    function="array_to_tsvector",
    output_field=SearchVectorField(),
)


class Recall(BelowBank):
    """The read log: who asked what and what was answered, written before the answer goes out.

    `hits` is a list of {id, rank, score, matched}; `filters`, `dropped` and `timings` as the recall
    had them. A recall by mode "profile" has an empty query.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("rec")
    actor = models.CharField(max_length=60)
    key_id = models.CharField(max_length=60, blank=True)
    door = models.CharField(max_length=20, blank=True)
    tool = models.CharField(max_length=60, blank=True)
    client = models.CharField(max_length=300, blank=True)
    query = models.TextField(blank=True)
    mode = models.CharField(max_length=20)
    filters = ObjectField(default=dict)
    hits = HitsField(default=list)
    hit_count = models.PositiveSmallIntegerField(default=0)
    dropped = ObjectField(default=dict)
    best_refused_score = models.FloatField(null=True, blank=True)
    tokens = models.PositiveIntegerField(default=0)
    took_ms = models.FloatField(default=0)
    watermark = models.BigIntegerField(default=0)
    request_id = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    # The ids in `hits` as lexemes: of what an index can look for, row security lets only words through
    # (`@@`, marked as leakproof), and only of a column.
    served = models.GeneratedField(
        expression=_IDS, output_field=SearchVectorField(), db_persist=True
    )

    class Meta:
        db_table = "recalls"
        indexes = [
            # Activity, newest first.
            models.Index(fields=["bank", "-id"], name="recalls_newest"),
            models.Index(fields=["bank", "actor", "-id"], name="recalls_actor"),
            # Which reads returned a memory. Memory ids are unique everywhere, so the bank needs no
            # place in it. Written at once (0.05 ms a read): a list of what is pending would be
            # emptied by some unlucky reader.
            GinIndex(fields=["served"], fastupdate=False, name="recalls_served"),
        ]
