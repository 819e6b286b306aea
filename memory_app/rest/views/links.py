"""Links between two memories, as callers state them and as the system observed them."""

from __future__ import annotations

from typing import Any

from memory_app.queries import connections
from memory_app.queries.memories import find
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.paging import PageIn
from memory_app.rest.replies import link_reply
from memory_app.rest.serializers.links import MemoryLinkIn, MemoryLinkOut, MemoryLinksOut
from memory_app.services import linking
from memory_app.services.idempotency import Reply

GROUP = "links"


class MemoryLinks(Endpoint):
    @operation(
        "list_memory_links",
        "Links from and to a memory, newest first",
        query=PageIn,
        answer=MemoryLinksOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str, memory: str) -> Body:
        def rows(_: dict[str, Any], after: str | None, limit: int) -> Any:
            with call.reading(bank) as access:
                found = find(access, memory)
                page = connections.links_page(access, found.id, after=after, limit=limit)
            return [link_reply(link) for link in page.items], page.next_cursor

        return call.page("links", rows, of=f"links {bank} {memory}")

    @operation(
        "add_memory_link",
        "Link this memory to another one; 200 where they are linked like this already",
        body=MemoryLinkIn,
        answers={200: MemoryLinkOut, 201: MemoryLinkOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str, memory: str) -> Reply:
        link, made = linking.add_link(call.actor, bank, source=memory, **call.given)
        return Reply(status=201 if made else 200, body=link_reply(link))


class OneMemoryLink(Endpoint):
    @operation("remove_memory_link", "End a link", answer=MemoryLinkOut, group=GROUP)
    def delete(self, call: Call, bank: str, link: str) -> Body:
        return link_reply(linking.remove_link(call.actor, bank, link))


class RestoreMemoryLink(Endpoint):
    @operation(
        "restore_memory_link",
        "Draw a link again that was ended, as a new one",
        answer=MemoryLinkOut,
        group=GROUP,
    )
    def post(self, call: Call, bank: str, link: str) -> Body:
        return link_reply(linking.restore_link(call.actor, bank, link))
