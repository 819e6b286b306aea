"""The documented hook that queues a project's Markdown files (D8)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from accounts.services.api_keys import issue_key
from memory_app.config.settings.base import BASE_DIR
from memory_app.services import documents_queue
from tests.factories import World

HOOK = BASE_DIR / "docs" / "hooks" / "queue-documents.sh"
LATER = 2**31


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / 'a "project" of ours'
    for path in ("notes/a file.md", "b.md", "c.txt", ".git/d.md", "node_modules/e.md", 'f"\\.md'):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("Something.", encoding="utf-8")
    return root


def run(world: World, url: str, project: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "COMMONPLACE_URL": url,
        "COMMONPLACE_KEY": issue_key(world.person, agent=world.agent.id).secret,
        "COMMONPLACE_BANK": "main",
    }
    return subprocess.run(
        ["/bin/sh", str(HOOK), str(project)],
        env=environment | changed,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
        timeout=60,
    )


def waiting(world: World) -> list[tuple[str, str]]:
    page = documents_queue.listed(world.caller, "main")
    return sorted((row.path, row.project) for row in page.documents)


def test_every_markdown_file_waits_and_later_only_what_has_changed(
    world: World, live_url: str, project: Path
) -> None:
    """D8"""
    first = run(world, live_url, project)
    found = waiting(world)
    documents_queue.close(world.caller, "main", [path for path, _ in found])
    (project / "b.md").write_text("Something else.", encoding="utf-8")
    os.utime(project / "b.md", (LATER, LATER))
    os.utime(project / "notes" / "a file.md", (LATER, LATER))

    second = run(world, live_url, project)

    assert (first.returncode, first.stderr) == (0, "")
    assert found == [
        ("b.md", project.name),
        ('f"\\.md', project.name),
        ("notes/a file.md", project.name),
    ]
    assert second.returncode == 0
    assert waiting(world) == [("b.md", project.name)]


def test_a_renamed_file_waits_again_and_an_odd_name_keeps_none_back(
    world: World, live_url: str, project: Path
) -> None:
    """D8: renaming changes no time; what can't be queued is named and tried again."""
    run(world, live_url, project)
    documents_queue.close(world.caller, "main", [path for path, _ in waiting(world)])
    os.utime(project / "notes" / "a file.md", (LATER, LATER))
    (project / "b.md").rename(project / "ü $(b).md")
    deep = Path("d" * 200, "e" * 200, "f" * 150 + ".md")
    for odd in ("two\nlines.md", "bell\a.md", deep, os.fsdecode(b"\xff.md")):
        (project / odd).parent.mkdir(parents=True, exist_ok=True)
        (project / odd).write_text("Odd.", encoding="utf-8")

    second = run(world, live_url, project)
    again = run(world, live_url, project)

    assert [path for path, _ in waiting(world)] == ["ü $(b).md"]
    assert (second.returncode, second.stderr.count("Not queued")) == (0, 4)
    assert again.stderr == second.stderr


def test_a_refused_key_fails_and_the_next_run_tries_again(
    world: World, live_url: str, project: Path
) -> None:
    """D8"""
    refused = run(world, live_url, project, COMMONPLACE_KEY="cpl_wrong")
    accepted = run(world, live_url, project)

    assert refused.returncode != 0
    assert "401" in refused.stderr
    assert accepted.returncode == 0
    assert len(waiting(world)) == 3
