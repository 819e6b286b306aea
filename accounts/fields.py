"""The model field of prefixed ids: a uuid in the database, `mem_01J...` in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import models
from typing_extensions import override

from memory_app.domain.ids import canonical_id, from_uuid, new_id, to_uuid

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

    _UUIDField = models.UUIDField[Any, Any]
else:
    _UUIDField = models.UUIDField


class _CheckedAttribute:
    """Keeps a value in the instance's `__dict__`, refusing an id of the wrong kind on
    assignment.
    """

    def __init__(self, field: PrefixedIdField) -> None:
        self.field = field

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self.field.attname not in instance.__dict__:
            instance.refresh_from_db(fields=[self.field.attname])
        return instance.__dict__[self.field.attname]

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.field.attname] = self.field.to_python(value)


class PrefixedIdField(_UUIDField):
    """`PrefixedIdField("mem")`: checks the prefix on every assignment and in every lookup."""

    def __init__(self, prefix: str = "", **kwargs: Any) -> None:
        self.prefix = prefix
        super().__init__(**kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, [self.prefix, *args], kwargs

    @override
    def contribute_to_class(self, cls: Any, name: str, private_only: bool = False) -> None:
        super().contribute_to_class(cls, name, private_only)
        setattr(cls, self.attname, _CheckedAttribute(self))

    def to_python(self, value: Any) -> str | None:
        """The shown form. Raises `WrongIdPrefix` for another kind's id."""
        if value is None or hasattr(value, "resolve_expression"):
            return value  # type: ignore[no-any-return]
        if isinstance(value, UUID):
            return from_uuid(self.prefix, value)
        return canonical_id(self.prefix, value)

    def get_prep_value(self, value: Any) -> Any:
        if value is None or isinstance(value, UUID) or hasattr(value, "resolve_expression"):
            return value
        return to_uuid(self.prefix, value)

    @override
    def get_db_prep_value(
        self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False
    ) -> Any:
        return self.get_prep_value(value)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> str | None:
        return None if value is None else from_uuid(self.prefix, value)

    def formfield(self, **kwargs: Any) -> Any:
        return models.Field.formfield(self, **kwargs)


class NewId:
    """A serializable default that makes a fresh id: `default=NewId("mem")`."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def __call__(self) -> str:
        return new_id(self.prefix)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NewId) and other.prefix == self.prefix

    def __hash__(self) -> int:
        return hash(self.prefix)

    def deconstruct(self) -> tuple[str, tuple[str], dict[str, object]]:
        return "accounts.fields.NewId", (self.prefix,), {}


def id_field(prefix: str, **kwargs: Any) -> PrefixedIdField:
    """The id column of a table, made in Python."""
    return PrefixedIdField(prefix, default=NewId(prefix), editable=False, **kwargs)
