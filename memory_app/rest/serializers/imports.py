"""Imports, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.text import SOURCE_LIMIT
from memory_app.formats import FORMATS
from memory_app.formats.mapping import COLUMNS_LIMIT, TARGETS
from memory_app.formats.reading import TEXT_LIMIT
from memory_app.models import ImportJob
from memory_app.queries.imports import LINES_LIMIT, OUTCOMES, PAGE_LIMIT
from memory_app.rest.fields import Anything, Choice, Flag, Integer, Label, Raw, name_of
from memory_app.rest.paging import PageIn
from memory_app.services.importing import ITEMS_LIMIT

IMPORT_STATUSES = tuple(ImportJob.Status.values)


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {"type": "string", "enum": list(TARGETS)},
        "description": "What each column or key becomes; what isn't named is kept in props, and an "
        "empty text leaves it out.",
    }
)
class ColumnMapping(serializers.Field[Any, Any, Any, Any]):
    """Texts by text; which columns and fields there are is the service's to say."""

    def to_internal_value(self, data: Any) -> dict[str, str]:
        fits = isinstance(data, dict) and len(data) <= COLUMNS_LIMIT
        if not fits or not all(isinstance(value, str) for value in data.values()):
            raise InvalidArgument(
                f"{name_of(self)} must be an object of at most {COLUMNS_LIMIT} texts.",
                hint='Send it as {"Note": "content", "Labels": "tags"}.',
                field=name_of(self),
            )
        return dict(data)

    def to_representation(self, value: Any) -> Any:
        return value


class ImportListIn(PageIn):
    limit = Integer(least=1, most=PAGE_LIMIT, required=False, help_text="50 when absent.")


class ImportLinesIn(PageIn):
    limit = Integer(least=1, most=LINES_LIMIT, required=False, help_text="50 when absent.")
    outcome = Choice(choices=OUTCOMES, required=False)


class UploadIn(serializers.Serializer[Any]):
    """What the body is; the body itself is the file."""

    name = Label(limit=200, required=False, help_text="The file's name: its ending tells formats.")
    format = Choice(choices=tuple(FORMATS), required=False, help_text="Found out when absent.")
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]


class ImportTextIn(serializers.Serializer[Any]):
    """Pasted text: one memory a line, a JSON list, JSON lines, a table, or a known export."""

    text = Raw(limit=TEXT_LIMIT)
    dry_run = Flag(required=False, help_text="Say what would become of each line; store nothing.")
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]
    format = Choice(choices=tuple(FORMATS), required=False, help_text="Found out when absent.")
    mapping = ColumnMapping(required=False)


class ImportItemsIn(serializers.Serializer[Any]):
    """A list of texts, or of objects with a `content`, `text`, `memory` or `value`."""

    items = Anything(most=ITEMS_LIMIT)
    dry_run = Flag(required=False)
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]
    mapping = ColumnMapping(required=False)


class ConfigureImportIn(serializers.Serializer[Any]):
    """Read the upload again, by another format or mapping."""

    format = Choice(choices=tuple(FORMATS), required=False)
    mapping = ColumnMapping(required=False)


class StartImportIn(serializers.Serializer[Any]):
    """An empty body stores all lines now, or refuses where the day's cap has no room for them."""

    over_days = Flag(
        required=False,
        help_text="Where today has no room for all: store what fits, but for a fifth of the cap, and "
        "go on by itself after each reset.",
    )


class ImportLineOut(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    place = serializers.CharField(required=False, help_text="Where it stands among several files.")
    outcome = serializers.CharField()
    text = serializers.CharField()
    memory_id = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)


class ImportOut(serializers.Serializer[Any]):
    """What became of every line, the first 500 of them. `import_id` is absent after a dry run."""

    import_id = serializers.CharField(required=False)
    format = serializers.CharField()
    status = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())
    lines = ImportLineOut(many=True)


class ImportJobOut(serializers.Serializer[Any]):
    import_id = serializers.CharField()
    actor = serializers.CharField()
    name = serializers.CharField(required=False)
    format = serializers.CharField()
    status = serializers.ChoiceField(choices=IMPORT_STATUSES)
    counts = serializers.DictField(child=serializers.IntegerField())
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    error = serializers.CharField(required=False)
    goes_on_at = serializers.DateTimeField(
        required=False, help_text="A paused import goes on by itself then."
    )
    columns = serializers.ListField(child=serializers.CharField(), required=False)
    mapping = serializers.DictField(child=serializers.CharField(), required=False)
    samples = serializers.ListField(child=serializers.DictField(), required=False)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(required=False)


class ImportPageOut(serializers.Serializer[Any]):
    imports = ImportJobOut(many=True)
    next_cursor = serializers.CharField(required=False)


class ImportLinesOut(serializers.Serializer[Any]):
    lines = ImportLineOut(many=True)
    next_cursor = serializers.CharField(required=False)
