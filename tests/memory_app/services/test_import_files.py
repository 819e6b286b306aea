"""Files: read into lines, looked at, stored in batches, taken back."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest
from django.core.files.storage import default_storage

from accounts.models import Membership, Organization
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, DailyCapReached, InvalidArgument, NotFound
from memory_app.domain.values import parse_draft
from memory_app.models import Entity, ImportJob, Memory, Proposal, Relationship
from memory_app.services import importing, ledger, memories
from memory_app.services.files import FileTooLarge
from memory_app.services.importing import Upload, receiving
from tests.factories import World, make_world
from tests.jobs import do_jobs
from tests.memory_app.services.uploading import facts, fates, stored, upload


def test_a_file_is_read_looked_at_stored_and_taken_back(world: World) -> None:
    """E9, F7"""
    memories.save(world.caller, "main", parse_draft(content="Kit lives in Ayr."))
    text = "- Kit lives in Ayr.\n- Ada runs.\n- Ada runs.\n" + "x" * 10_001

    read = upload(world, text)
    checked = importing.check(world.person, "main", read.id)
    looked_at = fates(world, checked)
    before = stored(world)
    done = importing.start(world.person, "main", read.id)

    assert (read.status, read.total, read.format) == ("ready", 3, "lines")
    assert (checked.status, checked.counts) == ("checked", {"known": 2, "created": 1, "refused": 1})
    assert looked_at == [(1, "known"), (2, "created"), (3, "known"), (4, "refused")]
    assert before == ["Kit lives in Ayr."]
    assert (done.status, done.counts) == ("done", {"known": 2, "created": 1, "refused": 1})
    assert stored(world) == ["Kit lives in Ayr.", "Ada runs."]
    assert importing.undo(world.person, "main", read.id).status == "undone"
    assert stored(world, deleted_at=None) == ["Kit lives in Ayr."]
    assert ledger.verify(world.person, "main").valid


def test_a_table_is_read_by_a_mapping_that_can_be_changed(world: World) -> None:
    """F7: dates, tags, category and pins are kept."""
    table = (
        "Wer,Was,Labels,Wann,Stern\n"
        'Kit,"Lives in Ayr, since ""May""",home;north,2026-05-01,yes\n'
        "Ada,Runs,,,\n"
    )
    job = upload(world, table, "people.csv")
    mapping = {"Was": "content", "Wer": "title", "Labels": "tags"}
    mapping |= {"Wann": "observed_at", "Stern": "pinned"}

    job = importing.configure(world.person, "main", job.id, mapping=mapping)
    importing.start(world.person, "main", job.id)

    with acting_as(world.person):
        kit, ada = Memory.objects.filter(bank=world.bank).order_by("id")
    assert job.options["columns"] == ["Wer", "Was", "Labels", "Wann", "Stern"]
    assert (kit.content, kit.title, kit.tags) == (
        'Lives in Ayr, since "May"',
        "Kit",
        ["home", "north"],
    )
    assert kit.observed_at is not None
    assert (kit.observed_at.date().isoformat(), kit.pinned_at is not None) == ("2026-05-01", True)
    assert (ada.content, ada.pinned_at, ada.source) == ("Runs", None, "people.csv")


def test_a_mapping_without_content_is_refused_and_nothing_changes(world: World) -> None:
    job = upload(world, "text,tags\nAda runs,a\n", "a.csv")

    with pytest.raises(InvalidArgument) as refused:
        importing.configure(world.person, "main", job.id, mapping={"text": "title"})

    assert refused.value.field == "mapping"
    assert importing.find_import(world.person, "main", job.id).status == "ready"


def test_a_graph_file_becomes_memories_and_edges(world: World) -> None:
    """F7: the reference memory server's file."""
    text = "\n".join(
        [
            '{"type":"entity","name":"Kit","entityType":"person","observations":["likes tea"]}',
            '{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}',
            '{"type":"relation","from":"Kit","to":"Ada","relationType":"works_with"}',
        ]
    )

    job = upload(world, text, "memory.jsonl")
    done = importing.start(world.person, "main", job.id)

    assert (done.format, done.counts) == ("mcp_memory", {"created": 3})
    assert stored(world) == ["Kit: likes tea", "Ada: likes tea", "Kit works with Ada"]
    with acting_as(world.person):
        names = sorted(Entity.objects.filter(bank=world.bank).values_list("name", "type"))
        edges = list(Relationship.objects.filter(bank=world.bank).values_list("type", flat=True))
    assert (names, edges) == ([("Ada", "person"), ("Kit", "person")], ["works_with"])


def test_a_zip_of_many_files_says_where_each_line_stands(world: World) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.md", "# Team\n\n- Kit lives in Ayr.\n")
        archive.writestr("b.txt", "Ada runs.".encode("utf-16"))
        archive.writestr("../evil.txt", "Out.")
        archive.writestr("c.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01")

    job = upload(world, packed.getvalue(), "all.zip")
    importing.start(world.person, "main", job.id)

    rows = importing.list_lines(world.person, "main", job.id).items
    assert [(row.place, row.outcome) for row in rows] == [
        ("../evil.txt:1", "refused"),
        ("a.md:1", "skipped"),
        ("a.md:3", "created"),
        ("b.txt:1", "created"),
        ("c.png:1", "refused"),
    ]
    assert "outside" in rows[0].reason
    assert stored(world) == ["Kit lives in Ayr.", "Ada runs."]


def test_a_single_broken_file_fails_with_its_line_and_another_format_helps(world: World) -> None:
    """Case 132"""
    failed = upload(world, '["a",\n"b"\n"c"]', "a.json")
    lines = importing.configure(world.person, "main", failed.id, form="lines")

    assert failed.status == "failed"
    assert "line 3" in failed.error
    assert (lines.status, lines.total) == ("ready", 3)


def test_over_the_cap_nothing_begins(world: World) -> None:
    """E10"""
    with acting_as(world.person):
        Organization.objects.filter(id=world.organization.id).update(daily_operation_cap=9)
    job = upload(world, "\n".join(facts(10)))

    with pytest.raises(DailyCapReached):
        importing.start(world.person, "main", job.id)

    assert stored(world) == []
    assert importing.find_import(world.person, "main", job.id).status == "ready"


def test_importing_again_changes_nothing(world: World) -> None:
    """E9"""
    first = upload(world, "\n".join(facts(60)))
    importing.start(world.person, "main", first.id)
    second = upload(world, "\n".join(facts(60)))

    done = importing.start(world.person, "main", second.id)

    assert done.counts == {"known": 60}
    assert len(stored(world)) == 60


def test_undo_takes_the_tags_off_that_the_import_gave(world: World) -> None:
    """E9: exactly as it was, a tag that was there already stays."""
    kept = memories.save(
        world.caller, "main", parse_draft(content="Kit lives in Ayr.", tags=["home"])
    ).memory
    job = upload(world, '[{"content": "Kit lives in Ayr.", "tags": ["home", "north"]}]', "a.json")
    importing.start(world.person, "main", job.id)
    with acting_as(world.person):
        tagged = Memory.objects.get(bank=world.bank, id=kept.id).tags

    importing.undo(world.person, "main", job.id)

    with acting_as(world.person):
        after = Memory.objects.get(bank=world.bank, id=kept.id).tags
    assert (tagged, after) == (["home", "north"], ["home"])
    assert ledger.verify(world.person, "main").valid


@pytest.mark.usefixtures("minilm")
def test_a_dry_run_tells_near_duplicates_and_contradictions() -> None:
    """E9: by the plan that the import follows."""
    world = make_world()
    memories.save(world.caller, "main", parse_draft(content="Ravi works on project Falcon."))
    memories.save(world.caller, "main", parse_draft(content="Borehole BH-7 showed no benzene."))
    text = (
        "Borehole BH-7 showed no benzene\n"
        "Borehole BH-9 showed no benzene.\n"
        "Ravi moved from project Falcon to project Heron.\n"
        "The gardener waters the roses on Mondays.\n"
        "the gardener waters the roses on mondays\n"
    )
    job = upload(world, text)

    checked = importing.check(world.person, "main", job.id)
    importing.start(world.person, "main", job.id)

    assert checked.counts == {"near_duplicate": 2, "created": 2, "conflicting": 1}
    assert len(stored(world, retired_at=None)) == 5
    do_jobs(world)
    with acting_as(world.person):
        (asked,) = Proposal.objects.filter(bank=world.bank)
    assert asked.kind == "contradiction"
    assert len(stored(world, retired_at=None)) == 5


def test_a_person_who_lost_the_role_imports_no_further(world: World) -> None:
    job = upload(world, "\n".join(facts(600)))
    importing.start(world.person, "main", job.id)
    with acting_as(world.person):
        Membership.objects.filter(organization_id=world.organization.id).update(role="viewer")

    do_jobs(world)

    assert importing.find_import(world.person, "main", job.id).status == "failed"
    assert stored(world) == []


def test_uploads_above_the_limit_are_refused_and_leave_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "UPLOAD_BYTES", 1_000)
    kept: list[str] = []
    save = default_storage.save
    monkeypatch.setattr(
        default_storage, "save", lambda name, *rest: kept.append(save(name, *rest)) or kept[-1]
    )
    parts = [
        Upload(name="a", chunks=iter([b"x" * 900])),
        Upload(name="b", chunks=iter([b"y" * 900])),
    ]

    with pytest.raises(FileTooLarge):
        importing.receive(world.person, "main", parts)

    assert len(kept) == 1
    assert not default_storage.exists(kept[0])
    assert importing.list_imports(world.person, "main").items == []


def test_bytes_are_removed_once_the_import_is_done_or_discarded(world: World) -> None:
    done, discarded = upload(world, "Ada runs."), upload(world, "Kit sings.")
    places = [job.options["uploads"][0]["storage"] for job in (done, discarded)]

    importing.start(world.person, "main", done.id)
    importing.cancel(world.person, "main", discarded.id)

    assert [default_storage.exists(place) for place in places] == [False, False]
    with pytest.raises(Conflict):
        importing.start(world.person, "main", discarded.id)


def test_a_stranger_finds_no_import_and_no_line(world: World, stranger: World) -> None:
    job = upload(world, "Ada runs.")

    for ask in (importing.check, importing.start, importing.cancel, importing.undo):
        with pytest.raises(NotFound):
            ask(stranger.person, "main", job.id)
    with pytest.raises(NotFound):
        list(importing.errors_of(stranger.person, "main", job.id))


def test_refused_lines_are_told_as_a_table(world: World) -> None:
    job = upload(world, '["Ada runs.", 7, {"a": "=cmd"}]', "a.json")

    table = "".join(importing.errors_of(world.person, "main", job.id))

    assert table.splitlines()[0] == "number,place,fate,reason,text"
    assert [row.split(",")[0] for row in table.splitlines()[1:]] == ["2", "3"]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "'="])
def test_no_refused_line_is_a_formula(world: World, sign: str) -> None:
    """Marked as the export marks its cells."""
    job = upload(world, f'["Ada runs.", "{sign}cmd()\\u0000"]', "a.json")

    (row,) = list(csv.DictReader(importing.errors_of(world.person, "main", job.id)))

    assert row["text"].startswith(f"'{sign}cmd()")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (
            "a.csv",
            b"te\x00xt,ta\x00gs,text\nAda runs,a,b\nKit sings\x00,a,b\n"
            + b"Zoe keeps bees in Ayr.,a,b\n" * 9,
        ),
        ("a.json", b'[{"content": "Ada runs.", "a\\u0000b": 1}, {"text": "Kit \\ud800 sings."}]'),
        ("a.jsonl", b'{"text": "Kit sings.", "\\ud800": "\\u0000"}\n{"text": "Ada runs."}\n'),
        (
            "a.md",
            b"---\ntitle: a\x00b\npermalink: x\n---\n- [a\x00] b [[c\x00]]\n- x [[c\x00]]\n"
            + b"- Ada runs.\n" * 20,
        ),
        ("memory.jsonl", b'{"type":"entity","name":"a\\u0000","observations":["b\\ud800"]}\n'),
        ("\x00\ud800.txt", b"Ada runs."),
    ],
)
def test_what_no_database_can_hold_refuses_its_line_only(
    world: World, name: str, data: bytes
) -> None:
    """Case 030"""
    job = upload(world, data, name)
    importing.check(world.person, "main", job.id)
    done = importing.start(world.person, "main", job.id)

    rows = importing.list_lines(world.person, "main", job.id).items
    assert done.status == "done"
    assert {row.outcome for row in rows} <= {"created", "known", "refused", "skipped"}
    assert all(row.reason for row in rows if row.outcome != "created")


def test_uploads_that_nobody_finishes_are_limited_and_discarded_after_a_week(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "LYING_LIMIT", 1)
    job = upload(world, "Ada runs.")
    with pytest.raises(Conflict):
        upload(world, "Kit sings.")
    with acting_as(world.person):
        ImportJob.objects.filter(bank=world.bank).update(updated_at="2026-01-01T00:00:00Z")

    gone = importing.forget_drafts(world.person, world.bank.id)

    assert gone == 1
    assert importing.find_import(world.person, "main", job.id).status == "cancelled"
    assert not default_storage.exists(job.options["uploads"][0]["storage"])
    assert upload(world, "Kit sings.").status == "ready"
