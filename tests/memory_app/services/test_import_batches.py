"""A file that is looked at and stored in batches: the same fates as line by line, nothing made twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from django.core.files.storage import default_storage
from pytest_django import Settings

from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.models import Cell, ImportJob
from memory_app.providers.embedding import get_embedder
from memory_app.services import importing, ledger, memories
from memory_app.services.importing import checking, running
from memory_app.services.importing.kept import KeptVectors
from memory_app.services.memories.foreseeing import Earlier, Foreseen, foresee
from tests.factories import World, make_world
from tests.jobs import do_jobs
from tests.memory_app.services.uploading import facts, fates, stored, upload

STORED = [
    "Ravi works on project Falcon.",
    "Borehole BH-7 showed no benzene.",
    "The office in Porto opens at nine.",
    "Greta keeps the spare key in the drawer.",
]
# Repeats, near repeats and changed figures, of what is stored and of each other, near and far apart.
LINES = [
    "Borehole BH-7 showed no benzene",
    "borehole BH-7 showed no benzene",
    "Borehole BH-9 showed no benzene.",
    "Ravi moved from project Falcon to project Heron.",
    "The gardener waters the roses on Mondays.",
    *[f"Shelf {n} in hall {n % 7} holds {n * 3} boxes." for n in range(40)],
    "the gardener waters the roses on mondays",
    "The gardener waters the roses on Mondays",
    "The gardener waters the roses on Fridays.",
    "Greta keeps the spare key in the drawer.",
    "GRETA KEEPS THE SPARE KEY IN THE DRAWER",
    "Shelf 3 in hall 3 holds 9 boxes",
    "Shelf 3 in hall 3 holds 10 boxes.",
    "The office in Porto opens at 9 o'clock.",
    "The office in Porto opens at ten.",
]


def filled() -> World:
    world = make_world()
    for text in STORED:
        memories.save(world.caller, "main", parse_draft(content=text))
    return world


def foreseen(world: World, size: int) -> list[Foreseen]:
    drafts = [(number, parse_draft(content=text)) for number, text in enumerate(LINES, 1)]
    earlier = Earlier()
    return [
        fate
        for start in range(0, len(drafts), size)
        for fate in foresee(world.person, "main", drafts[start : start + size], earlier)
    ]


def told(fate: Foreseen) -> tuple[str, int | None, str | None]:
    return fate.outcome, fate.earlier, fate.other


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize("size", [7, 25, 500])
def test_a_batch_is_looked_at_as_its_lines_one_by_one(size: int) -> None:
    """E9: of what is stored, of earlier lines, and of lines of the same batch."""
    world = filled()

    alone, together = foreseen(world, 1), foreseen(world, size)

    assert list(map(told, together)) == list(map(told, alone))
    counts = Counter(fate.outcome for fate in alone)
    assert set(counts) == {"created", "known", "near_duplicate", "conflicting"}


@pytest.mark.usefixtures("minilm")
def test_a_batch_is_stored_as_its_lines_one_by_one_and_as_foreseen() -> None:
    """E9: a line said twice that nearly repeats what is stored is known both times."""
    world, other = filled(), filled()
    drafts = [parse_draft(content=text) for text in LINES]

    fates_before = [fate.outcome for fate in foreseen(world, 500)]
    together = memories.save_many(world.person, "main", drafts)
    alone = [memories.save_many(other.person, "main", [draft])[0] for draft in drafts]

    assert [one.status for one in together] == [one.status for one in alone]
    assert [one.memory.content for one in together] == [one.memory.content for one in alone]
    known = [fate in ("known", "near_duplicate") for fate in fates_before]
    assert [one.status == "known" for one in together] == known


def test_what_others_write_meanwhile_is_seen_by_the_next_batch(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bank's vectors are read once for many batches and followed."""
    lines = facts(60)
    job = upload(world, "\n".join(lines))
    monkeypatch.setattr(checking, "_BATCH", 20)
    look = checking.foresee

    def meanwhile(*given: object) -> list[Foreseen]:
        found = look(*given)  # type: ignore[arg-type]
        memories.save(world.caller, "main", parse_draft(content=lines[-1].removesuffix(".")))
        return found

    monkeypatch.setattr(checking, "foresee", meanwhile)

    checked = importing.check(world.person, "main", job.id)

    assert fates(world, checked)[-1] == (60, "near_duplicate")
    assert checked.counts == {"created": 59, "near_duplicate": 1}


class Counting:
    """The embedder, and how many texts it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        embedder = get_embedder()
        embed = embedder.embed

        def counted(texts: Sequence[str], **options: object) -> np.ndarray:
            self.texts += texts
            made: np.ndarray = embed(texts, **options)  # type: ignore[arg-type]
            return made

        monkeypatch.setattr(embedder, "embed", counted)


def places_of(job: ImportJob) -> list[str]:
    return [part["storage"] for part in job.options["vectors"]]


def test_the_import_makes_no_vector_that_the_dry_run_has_made(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = facts(60)
    job = upload(world, "\n".join(lines))
    checked = importing.check(world.person, "main", job.id)
    places = places_of(checked)
    there = [default_storage.exists(place) for place in places]
    counting = Counting(monkeypatch)

    done = importing.start(world.person, "main", job.id)

    assert (done.counts, counting.texts) == ({"created": 60}, [])
    assert (len(places), there) == (1, [True])
    assert not default_storage.exists(places[0])
    with acting_as(world.person):
        kept = {
            cell.text: np.asarray(cell.embedding, np.float16)
            for cell in Cell.objects.filter(bank=world.bank)
        }
    made = get_embedder().embed(lines)
    assert all(
        np.array_equal(kept[text], vector.astype(np.float16))
        for text, vector in zip(lines, made, strict=True)
    )


def test_a_second_look_and_one_that_was_interrupted_make_no_vector_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = upload(world, "\n".join(facts(60)))
    monkeypatch.setattr(checking, "_PART", 20)
    monkeypatch.setattr(checking, "_BATCH", 20)
    finish = checking._finish
    monkeypatch.setattr(checking, "_finish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        importing.check(world.person, "main", job.id)
    monkeypatch.setattr(checking, "_finish", finish)
    with acting_as(world.person):
        ImportJob.objects.filter(bank=world.bank, id=job.id).update(status="ready", phase="")
    counting = Counting(monkeypatch)

    again = importing.check(world.person, "main", job.id)
    once_more = importing.check(world.person, "main", job.id)

    assert (again.counts, once_more.counts) == ({"created": 60}, {"created": 60})
    assert counting.texts == []
    assert len(places_of(once_more)) == 3


def test_vectors_that_are_gone_or_of_another_model_are_made_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = importing.check(world.person, "main", upload(world, "\n".join(facts(60))).id)
    default_storage.delete(places_of(job)[0])
    counting = Counting(monkeypatch)

    done = importing.start(world.person, "main", job.id)

    assert (done.counts, len(counting.texts)) == ({"created": 60}, 60)
    assert KeptVectors(job, "another model").find(facts(1)[0]) is None


def test_vectors_go_with_an_import_that_is_discarded_or_undone_half_way(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    discarded = importing.check(world.person, "main", upload(world, "Kit sings.").id)
    halted = importing.check(world.person, "main", upload(world, "Ada runs.").id)
    monkeypatch.setattr(running, "save_many", lambda *_, **__: 1 / 0)
    importing.start(world.person, "main", halted.id)
    with acting_as(world.person):
        ImportJob.objects.filter(bank=world.bank, id=halted.id).update(status="failed")

    importing.cancel(world.person, "main", discarded.id)
    importing.undo(world.person, "main", halted.id)

    left = [
        *places_of(discarded),
        *places_of(halted),
        *(one["storage"] for job in (discarded, halted) for one in job.options["uploads"]),
    ]
    assert [default_storage.exists(place) for place in left] == [False] * 4


def test_an_import_undone_and_done_again_ends_as_it_began(world: World) -> None:
    """E9, F7: counts exactly as before; the same file stores nothing new, and after an undo all."""
    lines = facts(700)
    memories.save(world.caller, "main", parse_draft(content="Kit lives in Ayr."))
    before = stored(world, deleted_at=None)
    first = upload(world, "\n".join(lines))
    importing.start(world.person, "main", first.id)
    do_jobs(world)
    second = upload(world, "\n".join(lines))
    importing.start(world.person, "main", second.id)
    do_jobs(world)
    repeated = importing.find_import(world.person, "main", second.id)

    importing.undo(world.person, "main", first.id)
    do_jobs(world)
    undone = stored(world, deleted_at=None)
    third = upload(world, "\n".join(lines))
    importing.start(world.person, "main", third.id)
    do_jobs(world)

    assert repeated.counts == {"known": 700}
    assert undone == before
    assert importing.find_import(world.person, "main", third.id).counts == {"created": 700}
    assert Counter(stored(world, deleted_at=None)) == Counter([*before, *lines])
    assert ledger.verify(world.person, "main").valid


def test_a_long_import_waits_for_a_slow_embedder_instead_of_leaving_vectors_for_later(
    world: World, settings: Settings
) -> None:
    """Nobody waits for a worker's answer; a request gives up in time, as ever."""
    settings.WRITE_EMBED_SECONDS = 0.0
    long = upload(world, "\n".join(facts(600)))
    importing.start(world.person, "main", long.id)
    do_jobs(world)
    short = upload(world, "Kit lives in Ayr.\nAda runs.")
    importing.start(world.person, "main", short.id)

    counts = [importing.find_import(world.person, "main", job.id).counts for job in (long, short)]
    assert counts == [{"created": 600}, {"pending": 2}]
