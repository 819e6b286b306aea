"""What the saving of one short statement will need, begun before Django has seen the request.

Its embedding takes longer than all the reading and checking that comes before its vector is wanted:
the earlier it begins, the less there is to wait for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, BinaryIO

from rest_framework.exceptions import ParseError
from rest_framework.request import Request

from accounts.auth.api_keys import is_known
from memory_app.domain.errors import ProductError
from memory_app.rest.parsing import parse_json
from memory_app.services.memories import Admission, admission

# Longer bodies are read after the key has been looked at.
MOST_BYTES = 20_000
_SAVING = re.compile(r"/api/v1/banks/([^/]+)/memories/")
_PLACE = "commonplace.foreseen"


def begin(scope: Any, body: BinaryIO) -> None:
    """Begin the embedding where a key that this process knows brings a statement; `foreseen` hands on
    what was begun. Checks nothing and raises nothing: a refusal is for those who come after it.
    """
    found = _SAVING.fullmatch(scope["path"]) if scope["method"] == "POST" else None
    if found is None or not is_known(_bearer(scope["headers"])):
        return
    begun = _admission(found[1], body.read(MOST_BYTES + 1))
    body.seek(0)
    if begun is not None:
        begun.begin()
        scope[_PLACE] = begun


def foreseen(request: Request, bank: str) -> Admission | None:
    """What was begun for this request, or can be foreseen now: whether one short statement may be
    stored, and whether it is known already.
    """
    raw = request._request
    begun: Admission | None = getattr(raw, "scope", {}).get(_PLACE)
    if begun is not None and begun.bank == bank:
        return begun
    return _admission(bank, raw.body) if raw.method == "POST" else None


def _admission(bank: str, body: bytes) -> Admission | None:
    if not 0 < len(body) <= MOST_BYTES:
        return None
    try:
        given = parse_json(body)
        return admission(bank, given["content"], given.get("title"))
    except (ParseError, ProductError, LookupError, TypeError, AttributeError):
        return None  # refused, if at all, where everything is


def _bearer(headers: Any) -> str:
    given: Mapping[bytes, bytes] = dict(headers)
    return given.get(b"authorization", b"").decode("latin-1").strip().partition(" ")[2].strip()
