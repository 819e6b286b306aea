"""Every route below /api/v1/. Each is answered with and without a slash at its end.

The schema lists the form without; `rest.schema.documented` drops the other.
"""

from __future__ import annotations

from django.urls import URLPattern, path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.views import APIView

from memory_app.rest.views import (
    agents,
    curation,
    facts,
    files,
    graph,
    imports,
    keys,
    ledger,
    memories,
    merges,
    notes,
    observations,
    organizations,
    proposals,
    recall,
    root,
    transfer,
    upkeep,
    usage,
)

ROUTES: list[tuple[str, type[APIView]]] = [
    ("organization", organizations.Organization),
    ("usage", usage.Usage),
    ("banks", organizations.Banks),
    ("banks/<str:bank>", organizations.OneBank),
    ("agents", agents.Agents),
    ("agents/<str:agent>", agents.OneAgent),
    ("agents/<str:agent>/pause", agents.PauseAgent),
    ("agents/<str:agent>/resume", agents.ResumeAgent),
    ("connections", agents.Connections),
    ("connections/<str:connection>", agents.OneConnection),
    ("connections/<str:connection>/pause", agents.PauseConnection),
    ("connections/<str:connection>/resume", agents.ResumeConnection),
    ("keys", keys.Keys),
    ("keys/<str:key>", keys.OneKey),
    ("keys/<str:key>/rotate", keys.RotateKey),
    ("keys/<str:key>/revoke", keys.RevokeKey),
    ("banks/<str:bank>/memories", memories.Memories),
    ("banks/<str:bank>/memories/<str:memory>", memories.OneMemory),
    ("banks/<str:bank>/memories/<str:memory>/pin", curation.Pin),
    ("banks/<str:bank>/memories/<str:memory>/unpin", curation.Unpin),
    ("banks/<str:bank>/memories/<str:memory>/retire", curation.Retire),
    ("banks/<str:bank>/memories/<str:memory>/revive", curation.Revive),
    ("banks/<str:bank>/memories/<str:memory>/restore", curation.Restore),
    ("banks/<str:bank>/memories/<str:memory>/erase", curation.Erase),
    ("banks/<str:bank>/memories/<str:memory>/history", curation.History),
    ("banks/<str:bank>/memories/<str:memory>/versions/<int:watermark>", curation.AtWatermark),
    ("banks/<str:bank>/memories/<str:memory>/hash", notes.Hash),
    ("banks/<str:bank>/memories/<str:memory>/why", facts.Why),
    ("banks/<str:bank>/notes", notes.Notes),
    ("banks/<str:bank>/notes/recall", notes.RecallNotes),
    ("banks/<str:bank>/links", notes.Links),
    ("banks/<str:bank>/episodes", facts.Episodes),
    ("banks/<str:bank>/facts", facts.Facts),
    ("banks/<str:bank>/causes", facts.Causes),
    ("banks/<str:bank>/saves", facts.Saves),
    ("banks/<str:bank>/audit", upkeep.Audit),
    ("banks/<str:bank>/pending-documents", upkeep.PendingDocuments),
    ("banks/<str:bank>/pending-documents/close", upkeep.CloseDocuments),
    ("banks/<str:bank>/tags", memories.Tags),
    ("banks/<str:bank>/observations", observations.Observations),
    ("banks/<str:bank>/observations/<str:memory>", observations.OneObservation),
    ("banks/<str:bank>/entities", graph.Entities),
    ("banks/<str:bank>/entities/<str:entity>", graph.OneEntity),
    ("banks/<str:bank>/entities/<str:entity>/inspect", graph.InspectEntity),
    ("banks/<str:bank>/relationships", graph.Relationships),
    ("banks/<str:bank>/graph", graph.Picture),
    ("banks/<str:bank>/graph/recall", graph.RecallSubgraph),
    ("banks/<str:bank>/files", files.Files),
    ("banks/<str:bank>/files/<str:file>", files.OneFile),
    ("banks/<str:bank>/files/<str:file>/versions", files.FileVersions),
    ("banks/<str:bank>/files/<str:file>/content", files.FileContent),
    ("banks/<str:bank>/entity-proposals", merges.Merges),
    ("banks/<str:bank>/entity-proposals/<str:proposal>/accept", merges.AcceptMerge),
    ("banks/<str:bank>/entity-proposals/<str:proposal>/reject", merges.RejectMerge),
    ("banks/<str:bank>/entity-proposals/<str:proposal>/undo", merges.UndoMerge),
    ("banks/<str:bank>/search", recall.Search),
    ("banks/<str:bank>/profile", recall.Profile),
    ("banks/<str:bank>/recall", recall.Recall),
    ("banks/<str:bank>/health", usage.BankHealth),
    ("banks/<str:bank>/export", transfer.Export),
    ("banks/<str:bank>/import", transfer.Import),
    ("banks/<str:bank>/ledger", ledger.Ledger),
    ("banks/<str:bank>/ledger/verify", ledger.Verify),
    ("banks/<str:bank>/activity", ledger.Activity),
    ("banks/<str:bank>/imports", imports.Imports),
    ("banks/<str:bank>/imports/<str:import_id>", imports.OneImport),
    ("banks/<str:bank>/imports/<str:import_id>/undo", imports.UndoImport),
    ("banks/<str:bank>/proposals", proposals.Proposals),
    ("banks/<str:bank>/proposals/<str:proposal>/decide", proposals.Decide),
    ("banks/<str:bank>/proposals/<str:proposal>/undo", proposals.Undo),
]


def _both(route: str, view: type[APIView]) -> list[URLPattern]:
    name = f"{view.__module__.rsplit('.', 1)[-1]}-{view.__name__}".lower()
    return [path(route, view.as_view(), name=name), path(f"{route}/", view.as_view())]


app_name = "rest"
urlpatterns = [
    path("", root.Root.as_view(), name="root"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", root.Docs.as_view(), name="docs"),
    *(pattern for route, view in ROUTES for pattern in _both(route, view)),
]
