"""Our small cross-encoder on onnxruntime: both statements read at once, three scores."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory_app.domain.errors import Unavailable
from memory_app.providers.embedding.weights import ModelFolder, find_minilm, verify_minilm
from memory_app.providers.judging.scoring import WEIGHTS, Scores, log_softmax
from memory_app.providers.quantizing import quantize

SCORES = "scores"
_OURS = WEIGHTS / "cross_encoder.npz"
_PROVIDERS = ["CPUExecutionProvider"]
_LONGEST = 96  # tokens of both statements: longer pairs are cut at the longer side


class CrossEncoder:
    """Loaded at the first pair and again in a forked child: a session doesn't survive a fork.

    With a `cache` folder the quantised graph is built once for all processes (3 s), without one
    in every process. Pairs run one at a time, like the embedder's texts and for the same reason.
    """

    def __init__(self, *, cache: Path | None = None) -> None:
        self._folder = find_minilm()
        self._cache = cache
        self._lock = threading.Lock()
        self._loaded: tuple[int, Any, Any] | None = None

    def scores(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """Log-probabilities of duplicate, supersedes, unrelated; 3 ms of CPU a pair."""
        tokenizer, session = self._load()
        rows = []
        for old, new in pairs:
            read = tokenizer.encode(_encodable(old), _encodable(new))
            feed = {
                "input_ids": np.array([read.ids], dtype=np.int64),
                "attention_mask": np.ones((1, len(read.ids)), dtype=np.int64),
                "token_type_ids": np.array([read.type_ids], dtype=np.int64),
            }
            rows.append(session.run([SCORES], feed)[0][0])
        return log_softmax(np.stack(rows))

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None or self._loaded[0] != os.getpid():
                self._loaded = (os.getpid(), _tokenizer(self._folder), self._session())
            return self._loaded[1], self._loaded[2]

    def _session(self) -> Any:
        try:
            import onnxruntime
            from onnxruntime.capi.onnxruntime_pybind11_state import (
                Fail,
                InvalidGraph,
                InvalidProtobuf,
            )
        except ImportError as missing:
            raise Unavailable(
                "onnxruntime is not installed.",
                hint="Install requirements-core.txt, or set JUDGE to features.",
            ) from missing
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            return onnxruntime.InferenceSession(self._graph(), options, _PROVIDERS)
        except (Fail, InvalidGraph, InvalidProtobuf):  # the file on the disk is damaged
            return onnxruntime.InferenceSession(self._graph(again=True), options, _PROVIDERS)

    def _graph(self, *, again: bool = False) -> bytes:
        if self._cache is None:
            return _built(self._folder)
        # The weights' own digest is part of the name, so a new training never meets an old graph.
        digest = hashlib.sha256(_OURS.read_bytes()).hexdigest()
        target = self._cache / f"judge-{self._folder.sha256[:8]}-{digest[:12]}-int8.onnx"
        if again or not target.is_file():
            self._cache.mkdir(parents=True, exist_ok=True)
            made = tempfile.NamedTemporaryFile(dir=self._cache, prefix="judge-", delete=False)  # noqa: SIM115
            with made:
                made.write(_built(self._folder))
            Path(made.name).replace(target)
        return target.read_bytes()


def _built(folder: ModelFolder) -> bytes:
    # Imported here: only a process that builds needs it, and it costs 60 MB of memory.
    from memory_app.providers.judging.pair_graph import build_pair_graph

    verify_minilm(folder)
    with tempfile.TemporaryDirectory(prefix="judge-") as scratch:
        whole, small = Path(scratch) / "float32.onnx", Path(scratch) / "int8.onnx"
        build_pair_graph(folder.path, _OURS, whole)
        quantize(whole, small)
        return small.read_bytes()


def _tokenizer(folder: ModelFolder) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder.path / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_LONGEST, strategy="longest_first")
    return tokenizer


def _encodable(text: str) -> str:
    return text[:2_000].encode("utf-8", "replace").decode("utf-8")
