"""Reading what was sent: unknown names are refused by name, never ignored."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ParseError

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.notation import RepeatedName, parse_notation
from memory_app.rest.fields import PLACE
from memory_app.rest.requests import refuse_unstorable

Shape = type[serializers.Serializer[Any]]
Field = serializers.Field[Any, Any, Any, Any]
_REPEATABLE = ("tags", "authors", "not_authors", "about")


def parse_json(body: bytes) -> Any:
    """JSON as RFC 8259 has it: UTF-8, no NaN, no nesting that would exhaust the stack. Raises
    `InvalidArgument` for an object that holds a name twice, and `ParseError`.
    """
    try:
        return parse_notation(body.decode("utf-8"))
    except RepeatedName as repeated:
        raise InvalidArgument(
            f"The body can't be read: {repeated}.", hint="Give it once.", field=repeated.name
        ) from None
    except UnicodeDecodeError:
        raise ParseError("The body is not valid UTF-8.") from None
    except RecursionError:
        raise ParseError("The body is nested too deeply.") from None
    except ValueError as error:
        raise ParseError(f"The body is not valid JSON: {error!s:.200}") from None


def parse_query(shape: Shape | None, sent: QueryDict) -> dict[str, Any]:
    """The query string. Raises `InvalidArgument` for unknown and repeated names."""
    raw: dict[str, Any] = {}
    for name, found in sent.lists():
        refuse_unstorable(name, field="query")
        for value in found:
            refuse_unstorable(value, field=name)
        if len(found) > 1 and name not in _REPEATABLE:
            raise InvalidArgument(
                f"{name:.60} is given {len(found)} times.", hint="Give it once.", field=name[:60]
            )
        raw[name] = list(found) if name in _REPEATABLE else found[0]
    return read(shape, raw, query=True)


def parse_body(shapes: tuple[Shape, ...], sent: Any) -> dict[str, Any]:
    """The body, by the last of the shapes whose required fields are all there, else the first."""
    if not shapes:
        return read(None, sent if sent else {})
    if not isinstance(sent, Mapping):
        raise InvalidArgument(
            "The body must be one JSON object.", hint='Send an object such as {"name": "value"}.'
        )
    fitting = [shape for shape in shapes if _required(shape) <= set(sent)]
    return read(fitting[-1] if fitting else shapes[0], sent)


def read(
    shape: Shape | None, raw: Mapping[str, Any], *, place: str = "", query: bool = False
) -> dict[str, Any]:
    """Typed values by field name; only what was given, with null meaning absent where it may be.

    `place` names a list's member in refusals, as in `memories[3].`.
    """
    fields = {} if shape is None else _fields(shape, query)
    _refuse_unknown(raw, fields, place)
    token = PLACE.set(place)
    try:
        return {
            name: None if raw[name] is None else field.run_validation(raw[name])
            for name, field in fields.items()
            if _is_given(name, field, raw, place)
        }
    finally:
        PLACE.reset(token)


def _is_given(name: str, field: Field, raw: Mapping[str, Any], place: str) -> bool:
    """Whether there is a value to read. Raises `InvalidArgument` when there has to be one."""
    absent = name not in raw
    if absent or (raw[name] is None and not field.allow_null):
        if field.required:
            raise _missing(place + name) if absent else _null(place + name)
        return False
    return True


@cache
def _fields(shape: Shape, query: bool) -> dict[str, Field]:  # noqa: FBT001
    """A shape's fields, made once: reading a value changes nothing in them."""
    return dict(shape(context={"query": query}).fields)


def refuse_reversed(given: Mapping[str, Any], first: str, second: str) -> None:
    """Raises `InvalidArgument` for a range of times that ends before it begins."""
    begin, end = given.get(first), given.get(second)
    if begin is not None and end is not None and begin > end:
        raise InvalidArgument(f"{first} is later than {second}.", hint="Swap the two.", field=first)


def _required(shape: Shape) -> set[str]:
    return {name for name, field in _fields(shape, False).items() if field.required}  # noqa: FBT003


def _refuse_unknown(raw: Any, known: Iterable[str], prefix: str) -> None:
    names = list(known)
    if not isinstance(raw, Mapping):
        raise InvalidArgument(
            f"{prefix.rstrip('.') or 'The body'} must be an object.",
            hint='Send {"name": "value"}.',
            field=prefix.rstrip(".") or None,
        )
    unknown = [str(name) for name in raw if name not in names]
    if not unknown:
        return
    shown = prefix + unknown[0].encode("utf-8", "replace").decode()[:60]
    near = difflib.get_close_matches(unknown[0], names, n=1)
    choices = f"Known: {', '.join(sorted(names))}." if names else "Nothing may be given here."
    raise InvalidArgument(
        f"{shown} is not known here.",
        hint=f"Did you mean {near[0]}? {choices}" if near else choices,
        field=shown,
    )


def _missing(name: str) -> InvalidArgument:
    return InvalidArgument(f"{name} is required.", hint=f"Send {name}.", field=name)


def _null(name: str) -> InvalidArgument:
    return InvalidArgument(f"{name} must not be null.", hint=f"Send {name}.", field=name)
