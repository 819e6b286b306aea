"""What the commands about one bank share: how it is named and how refusals are shown."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError

from accounts.actor import Actor
from memory_app.domain.errors import NotFound, ProductError
from memory_app.services.operating import operator_in


def add_bank(parser: ArgumentParser) -> None:
    parser.add_argument("--bank", required=True, help="slug or id")
    parser.add_argument("--organization", help="slug; needed where two have a bank of that slug")


def operator(options: Mapping[str, Any]) -> tuple[Actor, str]:
    """The operator in the named bank. Raises `CommandError` that says how a bank is made."""
    try:
        return operator_in(options["bank"], organization=options["organization"])
    except NotFound as error:
        raise CommandError(
            f"{error.message} 'manage.py status' names those there are. Make one in the dashboard, or with "
            "'manage.py create_access --organization SLUG --bank SLUG --agent SLUG'."
        ) from None


@contextmanager
def refusals() -> Iterator[None]:
    """A refusal of the product ends the command with its message and hint."""
    try:
        yield
    except ProductError as error:
        raise CommandError(f"{error.message} {error.hint}") from None
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from None
