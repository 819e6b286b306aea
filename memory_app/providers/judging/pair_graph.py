"""The ONNX graph of our cross-encoder: MiniLM's lower half, our upper half, a head of three.

Only the upper half is ours and shipped (int8, 5 MB); the rest comes from the weights package that
the default embedder uses, so both stand on the same checked file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import load_file

from memory_app.providers.embedding.bert_graph import INPUTS, Graph, encode
from memory_app.providers.judging.cross_encoder import SCORES


def build_pair_graph(source: Path, ours: Path, target: Path) -> None:
    """Write the float32 graph of model folder `source` with the layers in `ours`. A second."""
    config = json.loads((source / "config.json").read_text("utf-8"))
    loaded = load_file(source / "model.safetensors")
    weights = {name.removeprefix("bert."): tensor for name, tensor in loaded.items()}
    graph = Graph({**weights, **unpacked(ours)})
    hidden = encode(graph, config)
    _head(graph, hidden)
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "seq"]) for n in INPUTS]
    outputs = [helper.make_tensor_value_info(SCORES, TensorProto.FLOAT, ["batch", 3])]
    proto = helper.make_graph(graph.nodes, "pairs", inputs, outputs, graph.constants)
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save_model(model, str(target))


def unpacked(ours: Path) -> dict[str, Any]:
    """Our layers in float32; an int8 matrix has one scale for each output."""
    with np.load(ours, allow_pickle=False) as kept:
        return {
            name: (
                kept[name].astype(np.float32) * kept[f"{name}.scale"][:, None]
                if f"{name}.scale" in kept.files
                else kept[name].astype(np.float32)
            )
            for name in kept.files
            if not name.endswith(".scale")
        }


def _head(graph: Graph, hidden: str) -> None:
    """The first token and the mean of all real ones, side by side, to three scores."""
    mask = graph.node("Unsqueeze", "mask", graph.constant("last", [2], np.int64))
    axis = graph.constant("axis", [1], np.int64)
    total = graph.node("ReduceSum", graph.node("Mul", hidden, mask), axis, keepdims=0)
    mean = graph.node("Div", total, graph.node("ReduceSum", mask, axis, keepdims=0))
    first = graph.node("Gather", hidden, graph.constant("start", 0, np.int64), axis=1)
    pooled = graph.node("Concat", first, mean, axis=1)
    graph.node("Identity", graph.linear(pooled, "head"), output=SCORES)
