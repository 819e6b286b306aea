"""Vectors that a dry run makes, kept for the import that follows it and for a dry run begun again.

They lie beside the uploads in the storage and go with them: 768 bytes a line, 38 MB for 50,000. The
database isn't the place, since every update of a line would write them anew.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from memory_app.models import ImportJob

logger = logging.getLogger(__name__)

# The option of an import that names its parts: where each lies, its lines and its model.
VECTORS = "vectors"
# Parts in memory at once; a batch may touch two.
_OPEN = 2


class KeptVectors:
    """The vectors of one import's texts, read by `reach`, made by `keep` and written by `write`.

    Each stands under a digest of its text, so a line that reads otherwise finds none.
    """

    def __init__(self, job: ImportJob, model: str) -> None:
        self._folder = f"{job.organization_id}/{job.bank_id}/{job.id}"
        self._model = model
        self._parts = [dict(one) for one in parts_of(job) if one["model"] == model]
        self._opened: dict[str, dict[bytes, np.ndarray]] = {}
        self._new: dict[bytes, np.ndarray] = {}

    def reach(self, first: int, last: int) -> None:
        """Have the parts at hand that hold these lines."""
        for part in self._parts:
            if part["first"] <= last and part["last"] >= first:
                opened = self._opened.pop(part["storage"], None)
                self._opened[part["storage"]] = _read(part) if opened is None else opened
        for name in list(self._opened)[:-_OPEN]:
            del self._opened[name]

    def find(self, text: str) -> np.ndarray | None:
        digest = _digest(text)
        for part in self._opened.values():
            if (half := part.get(digest)) is not None:
                return half.astype(np.float32)
        return None

    def keep(self, texts: Iterable[str], vectors: np.ndarray) -> None:
        for text, vector in zip(texts, vectors, strict=True):
            self._new[_digest(text)] = vector.astype(np.float16)

    def write(self, first: int, last: int) -> list[dict[str, Any]]:
        """Store what was made for these lines; answers all parts, for the import's options."""
        if self._new:
            name = f"{self._folder}-vectors-{first}"
            default_storage.delete(name)
            stored = default_storage.save(name, ContentFile(_packed(self._new)))
            part = {"storage": stored, "model": self._model, "first": first, "last": last}
            self._parts.append(part)
            self._new = {}
        return self._parts


def parts_of(job: ImportJob) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = job.options.get(VECTORS, ())
    return found


def _packed(vectors: Mapping[bytes, np.ndarray]) -> bytes:
    out = io.BytesIO()
    digests = np.frombuffer(b"".join(vectors), np.uint8).reshape(len(vectors), -1)
    np.savez(out, digests=digests, vectors=np.stack(list(vectors.values())))
    return out.getvalue()


def _read(part: Mapping[str, Any]) -> dict[bytes, np.ndarray]:
    """What a part holds; nothing where it is gone or damaged, for it can be made again."""
    try:
        with default_storage.open(part["storage"], "rb") as handle:
            found = np.load(io.BytesIO(handle.read()), allow_pickle=False)
            digests, vectors = found["digests"], found["vectors"]
    except (OSError, ValueError, KeyError):
        logger.warning("kept_vectors_unreadable", extra={"storage": part["storage"]})
        return {}
    return {bytes(digest): vector for digest, vector in zip(digests, vectors, strict=True)}


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
