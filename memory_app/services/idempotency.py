"""Idempotency keys: the first answer to a write, given again to whoever asks the same again.

A key belongs to one actor in one organization and is kept 24 hours. Only successes are kept: a
refused request changed nothing and may be sent again with the same key. A process that dies between
the commit of the work and the note of its answer leaves a lock that runs out; the repeat is then
carried out, and the write path's own exact-repeat check is what catches it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, IdempotencyMismatch, InvalidArgument
from memory_app.domain.hashing import canonical
from memory_app.domain.ids import to_uuid
from memory_app.models import IdempotencyKey
from memory_app.providers.clock import now

KEPT = timedelta(hours=24)
LOCKED = timedelta(seconds=60)
WAIT_SECONDS = 3.0
KEY_LIMIT = 200
_POLL_SECONDS = 0.1

_CLAIM = """
INSERT INTO idempotency_keys AS kept
  (organization_id, actor, key, request_digest, created_at, locked_until)
VALUES (%(organization)s, %(actor)s, %(key)s, %(digest)s, %(now)s, %(until)s)
ON CONFLICT (organization_id, actor, key) DO UPDATE SET
  request_digest = excluded.request_digest, created_at = excluded.created_at,
  locked_until = excluded.locked_until, status = NULL, body = NULL
WHERE kept.created_at <= %(oldest)s
   OR (kept.status IS NULL AND kept.locked_until <= %(now)s
       AND kept.request_digest = excluded.request_digest)
RETURNING locked_until
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer as a door gives it. `kept` is what a repeat gets instead of `body`, for secrets."""

    status: int
    body: Any
    kept: Any = None
    replayed: bool = False


def request_digest(*parts: Any) -> str:
    """What makes two requests the same: for example method, path and parsed body."""
    return hashlib.sha256(canonical(list(parts))).hexdigest()


def with_idempotency(actor: Actor, key: object, digest: str, work: Callable[[], Reply]) -> Reply:
    """Run `work` once for this key, else give its first answer again; without a key just run it.

    Opens transactions of its own around `work`, so never call it inside `acting_as`. Raises
    `IdempotencyMismatch` for another request under the same key, and `Conflict` when the first one
    is still running after three seconds.
    """
    if key is None:
        return work()
    name = _parse_key(key)
    claim = _claim_or_replay(actor, name, digest)
    if isinstance(claim, Reply):
        return claim
    try:
        reply = work()
    except BaseException:
        _abandon(actor, name, claim)
        raise
    _finish(actor, name, claim, reply)
    return reply


def forget_old_keys(actor: Actor) -> int:
    """Delete the organization's keys past their 24 hours; how many went."""
    with acting_as(actor):
        old = IdempotencyKey.objects.filter(
            organization_id=actor.organization_id, created_at__lte=now() - KEPT
        )
        return old.delete()[0]


def _claim_or_replay(actor: Actor, key: str, digest: str) -> datetime | Reply:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        claimed, row = _look(actor, key, digest)
        if claimed is not None:
            return claimed
        if row is not None and row.request_digest != digest:
            raise IdempotencyMismatch(
                "This Idempotency-Key was used for another request.",
                hint="Send a new key with each new request.",
                field="Idempotency-Key",
            )
        if row is not None and row.status is not None:
            return Reply(status=row.status, body=row.body, replayed=True)
        if time.monotonic() >= deadline:
            raise Conflict(
                "The first request with this Idempotency-Key is still running.",
                hint="Send the same request again in a few seconds to get its answer.",
                field="Idempotency-Key",
                details={"retry_after": 5},
            )
        time.sleep(_POLL_SECONDS)


def _look(actor: Actor, key: str, digest: str) -> tuple[datetime | None, IdempotencyKey | None]:
    """The lock when it is ours now, else the row that stands there (it may vanish meanwhile)."""
    moment = now()
    with acting_as(actor, relaxed=True):
        with connection.cursor() as cursor:
            cursor.execute(
                _CLAIM,
                {
                    "organization": to_uuid("org", actor.organization_id),
                    "actor": actor.id,
                    "key": key,
                    "digest": digest,
                    "now": moment,
                    "until": moment + LOCKED,
                    "oldest": moment - KEPT,
                },
            )
            claimed = cursor.fetchone()
        if claimed is not None:
            return claimed[0], None
        return None, _rows(actor, key).first()


def _finish(actor: Actor, key: str, claim: datetime, reply: Reply) -> None:
    with acting_as(actor, relaxed=True):
        _rows(actor, key).filter(locked_until=claim).update(
            status=reply.status,
            body=reply.body if reply.kept is None else reply.kept,
            locked_until=None,
        )


def _abandon(actor: Actor, key: str, claim: datetime) -> None:
    with acting_as(actor, relaxed=True):
        _rows(actor, key).filter(locked_until=claim).delete()


def _rows(actor: Actor, key: str) -> Any:
    return IdempotencyKey.objects.filter(
        organization_id=actor.organization_id, actor=actor.id, key=key
    )


def _parse_key(key: object) -> str:
    if not isinstance(key, str) or not 1 <= len(key) <= KEY_LIMIT or not key.isprintable():
        raise InvalidArgument(
            f"Idempotency-Key must be 1 to {KEY_LIMIT} printable characters.",
            hint="Send a fresh UUID with each request.",
            field="Idempotency-Key",
        )
    return key
