"""Family T: a bank goes out and comes in again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memory_app.config.settings.base import BASE_DIR
from memory_app.services import memories
from memory_app.services.files import store_file
from tests.cases.stage import Stage
from tests.factories import make_bank
from tests.memory_app.rest.client import BACKEND, Rest, session_of

JSONL = {"Content-Type": "application/jsonl"}
# What a memory is besides its place in one bank's history.
KEPT = (
    *("content", "title", "tags", "source", "confidence", "category", "collection", "pinned"),
    *("observed_at", "props", "project", "session"),
)


def every_field_comes_back(stage: Stage) -> None:
    """138: into an empty bank all of it, ids and appendix files too; into one in use all that a
    memory is, with its edges.
    """
    _fill(stage)
    person = session_of(stage.world)
    make_bank(stage.world, "copy")
    make_bank(stage.world, "used")
    file = _export(person)

    taken = person.post("/api/v1/banks/copy/import/", file, **JSONL)
    joined = _drop(stage, "used", "bank.jsonl", file)
    csv = _drop(stage, "used", "memories.csv", _export(person, "csv"))

    origin, copy, used = (_seen(person, bank) for bank in ("main", "copy", "used"))
    assert taken.status_code == 201
    assert copy == origin
    assert origin["files"] == [("docs/plan.md", 6)]
    assert _kept(used["memories"]) == _kept(origin["memories"])
    assert used["edges"] == origin["edges"] == [("Kit", "leads", "Search", 0.7)]
    assert joined["counts"] == {"created": 2, "skipped": 1}
    assert set(csv["counts"]) == {"known"}


def what_is_archived_is_in_the_file_or_named(stage: Stage) -> None:
    """140: retired and binned memories, earlier versions and the bank's settings come along; what
    doesn't is named in the documentation.
    """
    _fill(stage)
    world, person = stage.world, session_of(stage.world)
    first = stage.rest.save("The old gate opens at six.").memory
    binned = stage.rest.save("A note that was a mistake.").memory
    stage.rest.ask("PATCH", f"memories/{first['id']}", _edit(first, "The old gate opens at five."))
    memories.retire(world.person, "main", first["id"], reason="Moved.")
    memories.delete(world.person, "main", binned["id"])
    person.patch("/api/v1/banks/main", {"history_days": 21, "freshness_weight": 0.2})
    make_bank(world, "copy")

    person.post("/api/v1/banks/copy/import/", _export(person), **JSONL)

    for bank in ("main", "copy"):
        history = person.get(f"/api/v1/banks/{bank}/memories/{first['id']}/history").json()
        listed = person.get(f"/api/v1/banks/{bank}/memories?state=all&limit=200").json()["memories"]
        settings = person.get(f"/api/v1/banks/{bank}").json()["settings"]
        states = {row["content"]: row["status"] for row in listed}
        assert [row["content"] for row in history["versions"]][-1] == "The old gate opens at six."
        assert states["The old gate opens at five."] == "retired"
        assert states["A note that was a mistake."] == "deleted"
        assert (settings["history_days"], settings["freshness_weight"]) == (21, 0.2)
    told = Path(BASE_DIR / "docs" / "export.md").read_text(encoding="utf-8")
    assert "Not in the file" in told


def _fill(stage: Stage) -> None:
    saved = stage.rest.save(
        "Kit moved to Oban.",
        tags=["home", "kit"],
        source="interview",
        confidence="extracted",
        category="people",
        observed_at="2026-06-01T19:00:00-05:00",
    ).memory
    memories.pin(stage.world.person, "main", saved["id"])
    stage.rest.ask(
        "POST",
        "observations",
        {
            "title": "Lead",
            "content": "Kit leads the search team.",
            "entities": [
                {"name": "Kit", "type": "person", "description": "A cook."},
                {"name": "Search", "type": "team", "description": "A team."},
            ],
            "relationships": [
                {"source": "Kit", "type": "leads", "target": "Search", "weight": 0.7}
            ],
        },
    )
    store_file(stage.world.person, "main", path="docs/plan.md", chunks=[b"# Plan"])


def _edit(memory: dict[str, Any], content: str) -> dict[str, Any]:
    return {"content": content, "expected_watermark": memory["head_watermark"]}


def _export(person: Rest, kind: str = "jsonl") -> bytes:
    return b"".join(person.get(f"/api/v1/banks/main/export?format={kind}"))


def _drop(stage: Stage, bank: str, name: str, data: bytes) -> dict[str, Any]:
    """Import a file on the dashboard of a bank; the report."""
    browser = Client()
    browser.force_login(stage.world.owner, backend=BACKEND)
    place = f"/o/{stage.world.organization.slug}/{bank}/import/"
    page = browser.post(place, {"files": [SimpleUploadedFile(name, data)]}, follow=True)
    job = page.context["job"].id
    browser.post(f"{place}{job}/start")
    found = session_of(stage.world).get(f"/api/v1/banks/{bank}/imports/{job}").json()
    return dict(found)


def _seen(person: Rest, bank: str) -> dict[str, Any]:
    below = f"/api/v1/banks/{bank}"
    memories_ = person.get(f"{below}/memories?limit=200").json()["memories"]
    picture = person.get(f"{below}/graph").json()
    names = {node["id"]: node["name"] for node in picture["nodes"]}
    edges = [
        (names[edge["source"]], edge["type"], names[edge["target"]], edge["weight"])
        for edge in picture["edges"]
    ]
    files = person.get(f"{below}/files").json()["files"]
    return {
        "memories": sorted(memories_, key=lambda row: str(row["content"])),
        "edges": edges,
        "files": [(file["path"], file["size"]) for file in files],
    }


def _kept(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row.get(name) for name in KEPT} for row in rows]


REPLAYS = {
    138: every_field_comes_back,
    140: what_is_archived_is_in_the_file_or_named,
}
