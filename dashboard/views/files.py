"""Appendix files (A4): the documents that memories are taken from, with their versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.files import present_files
from dashboard.presenters.memories import present_rows
from memory_app.domain.errors import InvalidArgument, ProductError
from memory_app.domain.text import QUERY_LIMIT, clean
from memory_app.models import File
from memory_app.queries.files import referring
from memory_app.queries.sidebar import load_sidebar
from memory_app.rest.attachments import attached
from memory_app.services import files, files_bin
from memory_app.services.importing import clean_filename
from memory_app.services.memories.curating import BIN_DAYS

LIST = "dashboard/files/index.html"
ONE = "dashboard/files/file.html"
LISTED = 50
AT_ONCE = 50
REFERRING = 20


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """The current files, newest first, and a place to drop more. Nine queries."""
    if place.request.method == "POST":
        try:
            told, undo = _store(place, place.request.POST.get("folder", ""))
        except ProductError as error:
            if error.status in {403, 404}:
                raise
            return _page(place, {"problem": error}, status=422)
        return go(place.request, place.url("files"), told, undo=undo)
    return _page(place, {})


@require_http_methods(["GET", "POST"])
@screen
def file(place: Place, file: str) -> HttpResponse:
    """One file: its versions, what refers to it; a posted file becomes the next version."""
    found = files.find_file(place.actor, place.bank, file)
    if place.request.method == "POST":
        try:
            stored = _add_version(place, found.path)
        except ProductError as error:
            if error.status in {403, 404}:
                raise
            return _one(place, file, {"problem": error}, status=422)
        told = "These bytes are stored already." if stored.status == "known" else "Stored."
        return go(place.request, place.url("file", stored.file.id), told)
    return _one(place, file, {})


@require_GET
@screen
def content(place: Place, file: str) -> HttpResponseBase:
    """The bytes of one version, to be saved and never shown."""
    actor = replace(place.actor, tool="read_file")
    return attached(place.request, files.find_file(actor, place.bank, file))


@require_POST
@screen
def to_bin(place: Place, file: str) -> HttpResponse:
    """Into the bin with all its versions; the toast takes it back."""
    gone = files_bin.bin_file(place.actor, place.bank, file)
    said = f"{gone[0].filename} is in the bin for {BIN_DAYS} days{_all(gone)}."
    undo = place.url("file-restore", gone[0].id)
    return go(place.request, place.url("files"), said, undo=undo)


@require_POST
@screen
def restore(place: Place, file: str) -> HttpResponse:
    kept = files_bin.restore_file(place.actor, place.bank, file)
    undo = place.url("file-bin", kept.id)
    return go(place.request, place.url("file", kept.id), f"{kept.filename} is back.", undo=undo)


@require_POST
@screen
def delete(place: Place, file: str) -> HttpResponse:
    """Remove a file with all its versions for good, also out of the bin."""
    gone = files.delete_file(place.actor, place.bank, file)
    said = f"{gone[0].filename} is deleted{_all(gone)}."
    return go(place.request, place.url("files"), said)


def _all(gone: Sequence[File]) -> str:
    return f", all {len(gone)} versions of it" if len(gone) > 1 else ""


def _page(place: Place, extra: dict[str, Any], status: int = 200) -> HttpResponse:
    given = place.request.GET
    try:
        text = clean(given.get("q", ""), field="q", limit=QUERY_LIMIT, lines=False)
        rows, following = files.list_files(
            place.actor, place.bank, text=text, after=given.get("after") or None, limit=LISTED
        )
    except InvalidArgument as error:
        text, rows, following, status = "", [], None, 422
        extra = {"problem": error} | extra
    first = not text and not given.get("after")
    binned = files_bin.list_binned(place.actor, place.bank) if first else []
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        room = files.room_left(sidebar.access)
        names = names_of(place.actor, {row.created_by for row in (*rows, *binned)})
    base, quota = place.url("files"), files.quota()
    context = {
        "heading": "Files",
        "section": "files",
        "files": present_files(place, rows, names),
        "binned": present_files(place, binned, names),
        "bin_days": BIN_DAYS,
        "q": text,
        "files_url": base,
        "may_add": sidebar.access.allows("read_write"),
        "size_limit": files.SIZE_LIMIT,
        "used": quota - max(0, room),
        "quota": quota,
        "folder": place.request.POST.get("folder", ""),
        "description": place.request.POST.get("description", ""),
        "newer_url": filters.address(base, {"q": text}) if given.get("after") else "",
        "older_url": filters.address(base, {"q": text, "after": following}) if following else "",
    }
    return show(place, sidebar, LIST, context | extra, part="list", status=status)


def _one(place: Place, reference: str, extra: dict[str, Any], status: int = 200) -> HttpResponse:
    found = files.find_file(place.actor, place.bank, reference)
    versions = files.versions_of(place.actor, place.bank, found.id)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        memories = referring(sidebar.access, found.path, limit=REFERRING)
        writers = {row.created_by for row in versions} | {row.author for row in memories}
        names = names_of(place.actor, writers)
    shown = present_files(place, versions, names)
    context = {
        "heading": found.filename,
        "section": "files",
        "file": next(row for row in shown if row.id == found.id),
        "versions": shown,
        "rows": present_rows(place, memories, names, replacements={}),
        "referring_limit": REFERRING,
        "files_url": place.url("files"),
        "bin_url": place.url("file-bin", found.id),
        "may_add": sidebar.access.allows("read_write"),
        "size_limit": files.SIZE_LIMIT,
    }
    return show(place, sidebar, ONE, context | extra, status=status)


def _store(place: Place, folder: str) -> tuple[str, str]:
    """Store every dropped file, or none; what was stored, in a sentence, and the way back from a single
    new one.
    """
    given = place.request.FILES.getlist("files")
    if not 1 <= len(given) <= AT_ONCE:
        raise InvalidArgument(
            f"Choose 1 to {AT_ONCE} files.", hint="Drop them on the field.", field="files"
        )
    where = folder.strip().strip("/")
    names = [clean_filename(each.name or "file") for each in given]
    new = [
        files.NewFile(
            path=f"{where}/{name}" if where else name,
            chunks=each.chunks(),
            description=place.request.POST.get("description") or None,
        )
        for name, each in zip(names, given, strict=True)
    ]
    actor = replace(place.actor, tool="store_file")
    counts = {"created": 0, "replaced": 0, "known": 0}
    stored = files.store_files(actor, place.bank, new)
    for one in stored:
        counts[one.status] += 1
    words = {"created": "stored", "replaced": "stored as a new version", "known": "known already"}
    told = [f"{number} {words[status]}" for status, number in counts.items() if number]
    alone = len(stored) == 1 and stored[0].status == "created"
    undo = place.url("file-bin", stored[0].file.id) if alone else ""
    return f"{', '.join(told)}.", undo


def _add_version(place: Place, path: str) -> files.Stored:
    given = place.request.FILES.get("files")
    if given is None:
        raise InvalidArgument("Choose a file.", hint="Drop it on the field.", field="files")
    return files.store_file(
        replace(place.actor, tool="store_file"), place.bank, path=path, chunks=given.chunks()
    )
