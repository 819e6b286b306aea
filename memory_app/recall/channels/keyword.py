"""By substring: the query as it stands in title or content, ignoring case. Sees the whole bank."""

from __future__ import annotations

import unicodedata

from memory_app.recall.channels import Found
from memory_app.recall.scope import Scope

_CONTAINING = """
SELECT m.id::text FROM memories m
WHERE m.bank_id = %(bank)s AND {memories}
  AND (m.content ILIKE %(pattern)s OR m.title ILIKE %(pattern)s)
ORDER BY m.id DESC LIMIT %(depth)s
"""


def search(scope: Scope, text: str, *, depth: int) -> list[Found]:
    """The newest memories that contain the text. One statement, linear in the bank's text."""
    plain = unicodedata.normalize("NFC", text).strip()
    escaped = plain.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = scope.rows(
        _CONTAINING.format(memories=scope.memories()), pattern=f"%{escaped}%", depth=depth
    )
    return [Found(memory_id=row[0], score=1.0) for row in rows]
