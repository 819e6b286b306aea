"""The parts of the supervisor that can be tried without starting the product."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from memory_app.config.embedded.attach import take_data_folder
from memory_app.config.embedded.paths import (
    DataFolder,
    EmbeddedError,
    exclusive,
    is_held,
    load_secrets,
)
from memory_app.config.embedded.processes import LARGEST_LOG, LONGEST_PAUSE, Child
from memory_app.config.embedded.supervisor import parse

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(root=tmp_path / "data")
    folder.prepare()
    return folder


def child(tmp_path: Path, code: str, *, patience: float = 5.0) -> Child:
    return Child(
        name="child",
        command=[sys.executable, "-c", code],
        environment=os.environ,
        log=tmp_path / "child.log",
        patience=patience,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["manage.py", "migrate", "--data-dir", "my data", "--noinput"],
        ["manage.py", "migrate", "--data-dir=my data", "--noinput"],
        ["manage.py", "--data-dir", "my data", "migrate", "--noinput"],
    ],
)
def test_the_data_folder_is_taken_off_any_command_line(arguments: list[str]) -> None:
    assert take_data_folder(arguments) == (["manage.py", "migrate", "--noinput"], Path("my data"))


def test_a_data_folder_without_a_name_is_refused() -> None:
    with pytest.raises(EmbeddedError, match="needs a folder"):
        take_data_folder(["manage.py", "migrate", "--data-dir"])


@pytest.mark.parametrize(
    ("called", "shown"), [("bin/serve", "usage: bin/serve "), (None, "usage: manage.py serve ")]
)
def test_help_names_the_command_that_was_called(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    called: str | None,
    shown: str,
) -> None:
    monkeypatch.delenv("COMMONPLACE_CALLED", raising=False)
    for name in filter(None, [called]):
        monkeypatch.setenv("COMMONPLACE_CALLED", name)

    with pytest.raises(SystemExit):
        parse(["--help"])

    assert capsys.readouterr().out.startswith(shown)


def test_secrets_are_made_once_and_shown_to_nobody_else(folder: DataFolder) -> None:
    first, second = load_secrets(folder), load_secrets(folder)

    assert first == second
    assert len({first.secret_key, first.superuser, first.owner, first.application}) == 4
    assert (folder.root / "secrets.json").stat().st_mode & 0o077 == 0


def test_what_nobody_delivered_is_for_nobody_else_to_read(tmp_path: Path) -> None:
    folder = DataFolder(root=tmp_path / "data")
    (folder.root / "mail").mkdir(parents=True, mode=0o755)

    folder.prepare()

    assert (folder.root / "mail").stat().st_mode & 0o777 == 0o700


def test_a_held_folder_is_refused_and_free_again_afterwards(folder: DataFolder) -> None:
    with exclusive(folder):
        held = is_held(folder)
        with pytest.raises(EmbeddedError, match=f"already running .*process {os.getpid()}"):
            exclusive(folder).__enter__()

    assert held
    assert not is_held(folder)


def test_a_folder_that_cannot_be_made_is_told_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(EmbeddedError, match="--data-dir"):
        DataFolder(root=tmp_path / "file" / "data").prepare()


def test_a_child_that_ignores_the_polite_signal_is_killed(tmp_path: Path) -> None:
    stubborn = child(tmp_path, STUBBORN, patience=0.5)
    stubborn.start()
    process = stubborn.process

    stubborn.stop()

    assert process is not None
    assert process.returncode in (-signal.SIGKILL, -signal.SIGTERM)


def test_a_child_that_keeps_dying_is_started_ever_later(tmp_path: Path) -> None:
    dying = child(tmp_path, "")
    dying.started_at = time.monotonic()

    pauses = [dying.note_failure() for _ in range(10)]

    assert pauses[:3] == [0.25, 0.5, 1.0]
    assert pauses[-1] == LONGEST_PAUSE


def test_a_long_log_is_turned_over_at_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "child.log").write_bytes(b"x" * (LARGEST_LOG + 1))
    quick = child(tmp_path, "print('new')")

    quick.start()
    quick.process.wait(30)  # type: ignore[union-attr]

    assert (tmp_path / "child.log").read_text() == "new\n"
    assert (tmp_path / "child.log.1").stat().st_size > LARGEST_LOG
