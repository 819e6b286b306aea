"""Strict fields: a boolean is no text, a text no number, and each refusal names field, limit and fix.

They raise the product's own errors, so the framework's wording never reaches a caller. A value of a
query string arrives as text and is read here; one of a JSON body must have its type already.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_app.domain import text, values
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.times import parse_instant

# Where in a list the object stands that is being read; fields are shared by all requests.
PLACE: ContextVar[str] = ContextVar("place", default="")
_WHOLE = re.compile(r"-?\d{1,18}")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Text(serializers.CharField):
    """A string as it will be stored, at most `limit` characters."""

    def __init__(self, *, limit: int, least: int = 0, lines: bool = True, **options: Any) -> None:
        self.limit, self.least, self.lines = limit, least, lines
        super().__init__(
            allow_blank=least == 0,
            trim_whitespace=False,
            max_length=limit,
            min_length=least or None,
            **options,
        )

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Skips the base's own idea of blank texts; `clean` decides."""
        return serializers.Field.run_validation(self, data)

    def run_validators(self, value: Any) -> None:
        """Limits were checked by `clean`; the validators only describe them in the schema."""

    def to_internal_value(self, data: Any) -> str:
        return text.clean(
            data, field=name_of(self), limit=self.limit, least=self.least, lines=self.lines
        )


class Raw(Text):
    """A string as it came: what is read out of it is judged piece by piece."""

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, str) and len(data) <= self.limit:
            return data
        return text.clean(data, field=name_of(self), limit=self.limit)


class Label(Text):
    """One line, empty to clear."""

    def __init__(self, *, limit: int = text.LABEL_LIMIT, **options: Any) -> None:
        super().__init__(limit=limit, lines=False, **options)


class Integer(serializers.IntegerField):
    """A whole number in its range."""

    def __init__(self, *, least: int, most: int, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(min_value=least, max_value=most, **options)

    def run_validators(self, value: Any) -> None:
        """The range was checked by `parse_integer`."""

    def to_internal_value(self, data: Any) -> int:
        if _from_query(self) and _WHOLE.fullmatch(data):
            data = int(data)
        return values.parse_integer(
            data, field=name_of(self), least=self.least, most=self.most, default=self.least
        )


class Fraction(serializers.FloatField):
    """A number from 0 to 1."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=1, **options)

    def run_validators(self, value: Any) -> None:
        """The range was checked by `parse_fraction`."""

    def to_internal_value(self, data: Any) -> float:
        if _from_query(self):
            try:
                data = float(data)
            except ValueError:
                data = str(data)
        found = values.parse_fraction(data, field=name_of(self))
        return 0.0 if found is None else found


class Flag(serializers.BooleanField):
    """true or false."""

    def to_internal_value(self, data: Any) -> bool:
        if isinstance(data, bool):
            return data
        if _from_query(self) and data.lower() in _FLAGS:
            return _FLAGS[data.lower()]
        raise InvalidArgument(
            f"{name_of(self)} must be true or false, not {data!r:.40}.",
            hint=f"Send {name_of(self)} as true or false.",
            field=name_of(self),
        )


class Choice(serializers.ChoiceField):
    """One of a closed list."""

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, str) and data in self.choices:
            return data
        raise InvalidArgument(
            f"{name_of(self)} is {data!r:.40}.",
            hint=f"Choose one of {', '.join(map(str, self.choices))}.",
            field=name_of(self),
        )


@extend_schema_field({"type": "string", "format": "date-time"})
class Moment(serializers.Field[Any, Any, Any, Any]):
    """An instant in ISO 8601; without an offset it is UTC."""

    def to_internal_value(self, data: Any) -> Any:
        return parse_instant(text.clean(data, field=name_of(self), limit=64), field=name_of(self))

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(
    {
        "type": "string",
        "maxLength": 100,
        "description": "When it happened. ISO 8601 keeps its offset; another wording is kept as text.",
    }
)
class Happened(Text):
    """A date in any wording, handed on as text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(limit=100, lines=False, **options)


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": text.TAG_LIMIT,
            "pattern": "^[^,]+$",
        },
        "maxItems": text.TAGS_LIMIT,
        "description": "Lower-cased; repeats are folded. A comma separates when a string is sent.",
    }
)
class Tags(serializers.Field[Any, Any, Any, Any]):
    """Tags folded as they are stored; in a query string repeated, or separated by commas."""

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        if isinstance(data, list) and _from_query(self):
            data = [part for item in data for part in item.split(",") if part.strip()]
        return text.clean_tags(data, field=name_of(self))

    def to_representation(self, value: Any) -> Any:
        return value


class Names(serializers.ListField):
    """A short list of ids or names."""

    def __init__(self, *, most: int = 50, limit: int = 100, **options: Any) -> None:
        self.most, self.limit = most, limit
        super().__init__(child=serializers.CharField(max_length=limit), max_length=most, **options)

    def run_validators(self, value: Any) -> None:
        """The length was checked while reading."""

    def to_internal_value(self, data: Any) -> list[str]:
        name = name_of(self)
        if not isinstance(data, list) or len(data) > self.most:
            raise InvalidArgument(
                f"{name} must be a list of at most {self.most} strings.",
                hint=f'Send {name} as ["first", "second"].',
                field=name,
                details={"limit": self.most},
            )
        return [text.clean(item, field=name, limit=self.limit, least=1) for item in data]


class Items(serializers.ListField):
    """A list of objects, handed on as they came: each is read with its own place in the list."""

    def __init__(self, *, child: serializers.Serializer[Any], most: int, **options: Any) -> None:
        self.most = most
        super().__init__(child=child, min_length=1, max_length=most, **options)

    def run_validators(self, value: Any) -> None:
        """The length was checked while reading."""

    def to_internal_value(self, data: Any) -> list[Any]:
        name = name_of(self)
        if not isinstance(data, list) or not 1 <= len(data) <= self.most:
            size = f", not {len(data)}" if isinstance(data, list) else ""
            raise InvalidArgument(
                f"{name} must be a list of 1 to {self.most} objects{size}.",
                hint="Send more of them in further requests.",
                field=name,
                details={"least": 1, "most": self.most},
            )
        return data


class Anything(serializers.ListField):
    """A list of whatever; the service says what it makes of each item, and refuses too many."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(child=serializers.JSONField(), max_length=most, **options)

    def run_validators(self, value: Any) -> None:
        """The service counts."""

    def to_internal_value(self, data: Any) -> Any:
        return data


@extend_schema_field({"type": "object", "additionalProperties": True})
class Object(serializers.Field[Any, Any, Any, Any]):
    """Free JSON, checked by the service that keeps it."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        return values.parse_props(data)

    def to_representation(self, value: Any) -> Any:
        return value


def name_of(field: serializers.Field[Any, Any, Any, Any]) -> str:
    """The name the caller knows the field by, with its place in a list: `memories[3].content`."""
    return PLACE.get() + str(field.field_name)


def _from_query(field: serializers.Field[Any, Any, Any, Any]) -> bool:
    return bool(field.context.get("query", False))
