"""How every `manage.py` command reaches the database of a data folder, running or not.

`--data-dir D` works with each command. While `serve` runs on D the command joins its servers;
else the database is started for the command's duration, migrated if it must be.
"""

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memory_app.config.embedded import leftovers
from memory_app.config.embedded.migrations import fingerprint
from memory_app.config.embedded.paths import (
    DataFolder,
    EmbeddedError,
    exclusive,
    is_held,
    write_private,
)
from memory_app.config.embedded.processes import Child
from memory_app.config.embedded.services import (
    SETTINGS_MODULE,
    describe,
    joined,
    note,
    set_up,
    sockets_of,
    start_database,
)
from memory_app.config.embedded.supervisor import default_data_folder, serve
from memory_app.config.embedded.system_user import servers_user

WITHOUT_DATABASE = frozenset(
    {
        *("help", "version", "--help", "-h", "--version", "check", "collectstatic", "diffsettings"),
        *("makemessages", "compilemessages", "makemigrations", "spectacular", "findstatic"),
        *("prepare_database", "serve"),
    }
)
READY_WITHIN = 120.0


@contextmanager
def prepared(arguments: Sequence[str]) -> Iterator[list[str]]:
    """Environment ready for Django; yields the command line without `--data-dir`."""
    rest, named = take_data_folder(arguments)
    name = rest[1] if len(rest) > 1 else "help"
    if named is None and os.environ.get("DATABASE_URL"):
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_app.config.settings.production")
        yield rest
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS_MODULE)
    folder = DataFolder(root=(named or default_data_folder()).expanduser().absolute())
    if name in WITHOUT_DATABASE:
        os.environ.setdefault("COMMONPLACE_DATA_DIR", str(folder.root))
        yield rest
        return
    with reachable(folder) as environment:
        os.environ.update(environment)
        yield rest


def take_data_folder(arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Split `--data-dir X` or `--data-dir=X` off a command line."""
    rest: list[str] = []
    found: Path | None = None
    remaining = iter(arguments)
    for argument in remaining:
        if argument == "--data-dir":
            value = next(remaining, "")
            if not value:
                raise EmbeddedError("--data-dir needs a folder behind it.")
            found = Path(value)
        elif argument.startswith("--data-dir="):
            found = Path(argument.partition("=")[2])
        else:
            rest.append(argument)
    return rest, found


@contextmanager
def reachable(folder: DataFolder) -> Iterator[dict[str, str]]:
    """The environment of a process that works on `folder`, with its database up meanwhile."""
    if folder.root.exists() and is_held(folder):
        yield _join(folder)
        return
    folder.prepare()
    children: list[Child] = []
    with exclusive(folder):
        leftovers.end(folder)
        with sockets_of(folder, broker=False) as sockets:
            servers = describe(folder, sockets, servers_user())
            try:
                start_database(servers, children)
                environment = servers.environment(with_broker=False) | _last_address(folder)
                _migrate(folder, environment)
                note(folder, ready=True)
                yield environment
            finally:
                for child in reversed(children):
                    child.stop()


def _last_address(folder: DataFolder) -> dict[str, str]:
    if os.environ.get("PUBLIC_URL") or not folder.address.exists():
        return {}
    return {"PUBLIC_URL": folder.address.read_text().strip()}


def _join(folder: DataFolder) -> dict[str, str]:
    deadline = time.monotonic() + READY_WITHIN
    while time.monotonic() < deadline:
        try:
            known = json.loads(folder.runtime.read_text())
        except FileNotFoundError:
            known = {}
        if known.get("ready"):
            environment = joined(folder).environment(with_broker=known["broker"])
            environment["COMMONPLACE_JOINED"] = "1"
            if "url" in known:
                environment["PUBLIC_URL"] = known["url"]
            return environment
        time.sleep(0.2)
    raise EmbeddedError(f"The copy on {folder.root} is not ready after {READY_WITHIN:.0f} s.")


def _migrate(folder: DataFolder, environment: dict[str, str]) -> None:
    wanted = fingerprint()
    if folder.migrated_to() != wanted:
        set_up(os.environ | environment)
        write_private(folder.migrated, wanted)


def run(arguments: Sequence[str]) -> int:
    """The whole of `manage.py`."""
    try:
        if len(arguments) > 1 and arguments[1] == "serve":
            return serve(arguments[2:])
        return _run_command(arguments)
    except EmbeddedError as error:
        sys.stderr.write(f"{error}\n")
    except PermissionError as error:
        sys.stderr.write(f"{error.filename}: {error.strerror}. Does it belong to another user?\n")
    return 1


def _run_command(arguments: Sequence[str]) -> int:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        with prepared(arguments) as rest:
            execute_from_command_line(rest)
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
