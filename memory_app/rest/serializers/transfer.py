"""What became of the import of a whole bank."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.rest.fields import Choice


class ExportIn(serializers.Serializer[Any]):
    format = Choice(
        choices=("jsonl", "csv", "markdown"),
        required=False,
        help_text="jsonl when absent: the whole bank. The others hold live memories only.",
    )


class ImportedOut(serializers.Serializer[Any]):
    """`unchanged`: the bank held all of it already. `counts` are the file's rows by kind."""

    status = serializers.ChoiceField(choices=("imported", "unchanged"))
    head_watermark = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
