"""Names for queries of the list of memories."""

from __future__ import annotations

from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.replies import view_reply
from memory_app.rest.serializers.curation import ViewChangesIn, ViewIn, ViewOut, ViewsOut
from memory_app.services import saved_views
from memory_app.services.idempotency import Reply

GROUP = "views"


class SavedViews(Endpoint):
    @operation("list_views", "Shared views and one's own, by name", answer=ViewsOut, group=GROUP)
    def get(self, call: Call, bank: str) -> Body:
        return {"views": [view_reply(view) for view in saved_views.list_views(call.actor, bank)]}

    @operation(
        "save_view",
        "Keep a query of the list under a name",
        body=ViewIn,
        answers={201: ViewOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        view = saved_views.save_view(call.actor, bank, **{"query": "", **call.given})
        return Reply(status=201, body=view_reply(view))


class OneSavedView(Endpoint):
    @operation(
        "change_view",
        "Rename, share or alter a view",
        body=ViewChangesIn,
        answer=ViewOut,
        group=GROUP,
    )
    def patch(self, call: Call, bank: str, view: str) -> Body:
        return view_reply(saved_views.change_view(call.actor, bank, view, **call.given))

    @operation(
        "remove_view", "Remove a view; it can be restored for 30 days", answer=ViewOut, group=GROUP
    )
    def delete(self, call: Call, bank: str, view: str) -> Body:
        return view_reply(saved_views.remove_view(call.actor, bank, view))


class RestoreSavedView(Endpoint):
    @operation("restore_view", "Bring a removed view back", answer=ViewOut, group=GROUP)
    def post(self, call: Call, bank: str, view: str) -> Body:
        return view_reply(saved_views.restore_view(call.actor, bank, view))
