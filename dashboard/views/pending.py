"""Documents for agents to read (D8): dropped here, kept as appendix files, queued by their path."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from dashboard.answers import go
from dashboard.place import Place, screen
from memory_app.domain.errors import InvalidArgument
from memory_app.services import documents_queue
from memory_app.services.documents_queue import Queueing
from memory_app.services.files import NewFile, store_files
from memory_app.services.importing import clean_filename

FILES_LIMIT = 50


@require_POST
@screen
def add(place: Place) -> HttpResponse:
    """Keep the files, all or none, and queue them; one whose very bytes were read before is left
    alone.
    """
    files = place.request.FILES.getlist("documents")
    if not 1 <= len(files) <= FILES_LIMIT:
        raise InvalidArgument(
            f"Choose 1 to {FILES_LIMIT} documents.", hint="Drop them here.", field="documents"
        )
    new = [
        NewFile(path=f"documents/{clean_filename(file.name or 'file')}", chunks=file.chunks())
        for file in files
    ]
    stored = store_files(place.actor, place.bank, new)
    queueing = [Queueing(path=one.file.path, digest=one.file.sha256) for one in stored]
    done = documents_queue.queue(place.actor, place.bank, queueing)
    waiting = len(done.queued)
    text = f"{waiting} document{'s' if waiting != 1 else ''} wait{'s' if waiting == 1 else ''}."
    if done.unchanged:
        text += f" {len(done.unchanged)} had been read as they are."
    return go(place.request, f"{place.url('import')}#documents", text)


@require_POST
@screen
def close(place: Place) -> HttpResponse:
    """Take one from the queue unread; its file stays."""
    path = place.request.POST.get("path", "")
    documents_queue.close(place.actor, place.bank, documents_queue.parse_paths([path]))
    return go(place.request, f"{place.url('import')}#documents", "Taken from the queue.")
