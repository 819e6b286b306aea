from __future__ import annotations

import io
import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from accounts.auth.api_keys import authenticate_key
from accounts.auth.sessions import memberships_of
from accounts.models import User
from memory_app.domain.errors import RoleInsufficient
from memory_app.services.banks import create_bank, get_bank
from tests.factories import World


def run(command: str, *arguments: str) -> str:
    output = io.StringIO()
    call_command(command, *arguments, stdout=output)
    return output.getvalue()


def create_access(organization: str, *more: str) -> dict[str, Any]:
    arguments = ["--organization", organization, "--bank", "notes", "--agent", "coder", "--json"]
    found: dict[str, Any] = json.loads(run("create_access", *arguments, *more))
    return found


def test_everything_missing_is_made_and_the_key_works() -> None:
    organization = f"new-{uuid4().hex[:10]}"

    printed = create_access(organization, "--url", "https://memory.example/")

    actor = authenticate_key(printed.pop("key"), door="rest")
    access = get_bank(actor, None)
    assert printed == {
        "url": "https://memory.example",
        "mcp_url": "https://memory.example/mcp/notes",
        "organization": organization,
        "bank": "notes",
        "agent": "coder",
    }
    assert (access.bank.slug, access.tier, access.toolsets) == (
        "notes",
        "read_write",
        ("essential",),
    )


def test_a_second_call_makes_a_second_key_and_nothing_else() -> None:
    organization = f"new-{uuid4().hex[:10]}"
    first = create_access(organization)
    second = create_access(organization, "--tier", "full", "--toolsets", "facts,essential")
    third = create_access(organization)

    actors = [authenticate_key(printed["key"], door="rest") for printed in (first, second, third)]

    access = get_bank(actors[0], "notes")
    assert len({actor.id for actor in actors}) == 1
    assert len({actor.key_id for actor in actors}) == 3
    assert (access.tier, access.toolsets) == ("full", ("essential", "facts"))


def test_the_named_owner_owns_the_organization() -> None:
    organization = f"new-{uuid4().hex[:10]}"
    email = f"{organization}@example.com"

    create_access(organization, "--owner", email)
    create_access(organization, "--owner", email)

    owner = User.objects.get(email=email)
    assert [(m.slug, m.role) for m in memberships_of(owner)] == [(organization, "owner")]


@pytest.mark.parametrize(
    "arguments", [["--toolsets", "magic"], ["--bank", "Not A Slug"], ["--organization", "\x00"]]
)
def test_a_bad_argument_is_told_before_anything_is_made(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        create_access(f"new-{uuid4().hex[:10]}", *arguments)


def test_an_agent_made_this_way_still_manages_nothing() -> None:
    printed = create_access(f"new-{uuid4().hex[:10]}", "--tier", "full")
    actor = authenticate_key(printed["key"], door="rest")

    with pytest.raises(RoleInsufficient):
        create_bank(actor, name="Mine")


def test_without_json_each_part_stands_on_a_line_of_its_own() -> None:
    name = f"new-{uuid4().hex[:10]}"

    lines = run("create_access", "--organization", name, "--bank", "main", "--agent", "a").split(
        "\n"
    )

    named = [line.partition(": ")[0] for line in lines if line]
    assert named == ["url", "mcp_url", "organization", "bank", "agent", "key"]


def test_a_sign_in_link_is_printed(world: World) -> None:
    printed = run("sign_in_link", world.owner.email, "--url", "https://memory.example")

    assert printed.startswith("https://memory.example/sign-in/")


def test_no_link_for_an_unknown_address() -> None:
    with pytest.raises(CommandError):
        run("sign_in_link", "nobody@example.com")
