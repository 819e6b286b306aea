"""API keys: `cpl_` + 30 random characters + 6 of checksum, 0-9A-Za-z throughout.

Only the SHA-256 of the whole secret is stored. A pepper would add nothing to 178 random bits, and
would void every key when the server's own secret changes.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Q
from django.db.utils import DataError
from django.utils import timezone

from accounts.actor import Actor
from accounts.models import ApiKey
from accounts.questions import Question, Row
from accounts.tenancy import acting_as, ask
from memory_app.domain.errors import Unauthenticated
from memory_app.domain.ids import from_uuid

PREFIX = "cpl_"
RANDOM_LENGTH = 30
CHECK_LENGTH = 6
PREVIEW_LENGTH = 8
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
USE_INTERVAL = timedelta(minutes=1)

_COLUMNS = (
    "key_id",
    "organization_id",
    "agent_id",
    "agent_name",
    "expires_at",
    "revoked_at",
    "last_used_at",
    "agent_paused_at",
)
_FIND = f"SELECT {', '.join(_COLUMNS)} FROM find_api_key(%(digest)s)"  # noqa: S608
# Whose a key is never changes, so a process may remember it; whether it works is asked each time.
_owners: dict[str, Actor] = {}
_OWNERS_MOST = 10_000
_LENGTH = len(PREFIX) + RANDOM_LENGTH + CHECK_LENGTH
_CHARACTERS = frozenset(ALPHABET)


def new_secret() -> str:
    """A fresh secret, to be shown once."""
    body = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH))
    return PREFIX + body + _checksum(body)


def digest(secret: str) -> str:
    """What is stored instead of the secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def well_formed(secret: str) -> bool:
    """Whether this can be a key at all; told without the database, so that guesses cost nothing."""
    if not isinstance(secret, str) or len(secret) != _LENGTH or not secret.startswith(PREFIX):
        return False
    body = secret[len(PREFIX) : -CHECK_LENGTH]
    return _CHARACTERS.issuperset(body) and secret[-CHECK_LENGTH:] == _checksum(body)


def is_known(secret: str) -> bool:
    """Whether this process has seen the key work; it needn't any more."""
    return well_formed(secret) and digest(secret) in _owners


def authenticate_key(
    secret: str, *, door: str, client: str = "", request_id: str = "", now: datetime | None = None
) -> Actor:
    """The agent behind a key: one query, and once a minute one more that notes the use.

    Raises `Unauthenticated` with one message for a key that is malformed, unknown, expired, revoked
    or of a paused agent. Opens its own transaction, so never call it inside `acting_as`.
    """
    presented = _Presented(secret=secret, door=door, client=client, request_id=request_id)
    return _admitted(presented, _find(presented), now or timezone.now())


def authenticate_asking(
    secret: str,
    questions: Callable[[Actor], Sequence[Question]],
    *,
    door: str,
    client: str = "",
    request_id: str = "",
) -> tuple[Actor, list[list[Row]] | None]:
    """`authenticate_key` with questions about the agent, in one message where this process knows
    already whose key it is; the answers are None where it didn't.

    What the questions do stays done though the key be refused.
    """
    presented = _Presented(secret=secret, door=door, client=client, request_id=request_id)
    owner = _owners.get(digest(secret)) if well_formed(secret) else None
    if owner is None:
        actor = _admitted(presented, _find(presented), timezone.now())
        if len(_owners) >= _OWNERS_MOST:
            _owners.clear()
        _owners[digest(secret)] = actor
        return actor, None
    try:
        keys, *answers = ask(owner, _finding(presented), *questions(owner))
    except DataError:
        raise _refused() from None
    return _admitted(presented, keys, timezone.now()), answers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Presented:
    """A secret as it came in, and through which door."""

    secret: str
    door: str
    client: str
    request_id: str


def _finding(presented: _Presented) -> Question:
    return Question(sql=_FIND, values={"digest": digest(presented.secret)}, repeats=True)


def _find(presented: _Presented) -> list[Row]:
    if not well_formed(presented.secret):
        return []
    question = _finding(presented)
    with connection.cursor() as cursor:
        try:
            cursor.execute(question.sql, question.values)
            return list(cursor.fetchall())
        except DataError:
            # A stored deadline that can't be read as a time ('infinity') opens nothing.
            return []


def _admitted(presented: _Presented, keys: Sequence[Row], moment: datetime) -> Actor:
    found = dict(zip(_COLUMNS, keys[0], strict=True)) if keys else None
    if found is None or not usable(found, moment):
        raise _refused()
    key_id = from_uuid("key", found["key_id"])
    actor = Actor(
        organization_id=from_uuid("org", found["organization_id"]),
        kind="agent",
        id=from_uuid("agent", found["agent_id"]),
        name=found["agent_name"],
        key_id=key_id,
        request_id=presented.request_id,
        door=presented.door,
        client=presented.client[:300],
    )
    _note_use(actor, key_id, found["last_used_at"], moment)
    return actor


def usable(found: Mapping[str, Any], moment: datetime) -> bool:
    """Whether the key works now: strictly before its deadline, and closed when in doubt."""
    deadline = found["expires_at"]
    if found["revoked_at"] is not None or found["agent_paused_at"] is not None:
        return False
    if deadline is None:
        return True
    return isinstance(deadline, datetime) and deadline.tzinfo is not None and moment < deadline


def _note_use(actor: Actor, key_id: str, last: datetime | None, moment: datetime) -> None:
    before = moment - USE_INTERVAL
    if last is not None and last > before:
        return
    with acting_as(actor, relaxed=True):
        ApiKey.objects.filter(Q(last_used_at=None) | Q(last_used_at__lte=before), id=key_id).update(
            last_used_at=moment
        )


def _checksum(body: str) -> str:
    value = zlib.crc32((PREFIX + body).encode())
    letters = []
    for _ in range(CHECK_LENGTH):
        value, remainder = divmod(value, len(ALPHABET))
        letters.append(ALPHABET[remainder])
    return "".join(reversed(letters))


def _refused() -> Unauthenticated:
    return Unauthenticated(
        "This API key is not valid.",
        hint=f"Send a whole key, '{PREFIX}' and {RANDOM_LENGTH + CHECK_LENGTH} characters, as "
        "'Authorization: Bearer ...'. An expired or revoked key is replaced in the dashboard.",
    )
