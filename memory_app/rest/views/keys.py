"""API keys of agents: issued, rotated, revoked by people."""

from __future__ import annotations

from typing import Any

from accounts.services import api_keys
from accounts.services.api_keys import IssuedKey
from memory_app.rest.access_replies import key_reply
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.access import (
    HeldListIn,
    IssuedKeyOut,
    KeyIn,
    KeyOut,
    KeysOut,
    RevocationIn,
    RotationIn,
)
from memory_app.services.idempotency import Reply


class Keys(Endpoint):
    @operation(
        "list_keys",
        "Keys, newest first; an agent sees its own",
        query=HeldListIn,
        answer=KeysOut,
        group="keys",
    )
    def get(self, call: Call) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            found = api_keys.list_keys(call.actor, after=after, limit=limit, **filters)
            return [key_reply(key) for key in found.items], found.next_cursor

        return call.page("keys", rows, of="keys")

    @operation(
        "issue_key",
        "Issue a key for an agent; its secret is shown this once",
        body=KeyIn,
        answers={201: IssuedKeyOut},
        group="keys",
    )
    def post(self, call: Call) -> Reply:
        return _issued(api_keys.issue_key(call.actor, **call.given))


class OneKey(Endpoint):
    @operation("get_key", "One key, without its secret", answer=KeyOut, group="keys")
    def get(self, call: Call, key: str) -> Body:
        return key_reply(api_keys.get_key(call.actor, key))

    @operation("delete_key", "Revoke a key", answer=KeyOut, group="keys")
    def delete(self, call: Call, key: str) -> Body:
        return key_reply(api_keys.revoke_key(call.actor, key))


class RotateKey(Endpoint):
    @operation(
        "rotate_key",
        "A new key in place of this one, which works until the grace is over",
        body=RotationIn,
        answers={201: IssuedKeyOut},
        group="keys",
    )
    def post(self, call: Call, key: str) -> Reply:
        return _issued(api_keys.rotate_key(call.actor, key, **call.given))


class RevokeKey(Endpoint):
    @operation(
        "revoke_key", "Revoke a key, with a reason", body=RevocationIn, answer=KeyOut, group="keys"
    )
    def post(self, call: Call, key: str) -> Body:
        return key_reply(api_keys.revoke_key(call.actor, key, **call.given))


def _issued(issued: IssuedKey) -> Reply:
    body = key_reply(issued.key)
    return Reply(status=201, body=body | {"secret": issued.secret}, kept=body)
