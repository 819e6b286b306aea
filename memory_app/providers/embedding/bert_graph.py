"""A BERT sentence encoder as an ONNX graph, straight from its safetensors file: no torch needed.

Pooling (mean over real tokens) and length 1 are part of the graph. A second output gives the token
vectors; a run that doesn't ask for it doesn't pay for it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

SENTENCE = "sentence_embedding"
TOKENS = "token_embeddings"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Graph:
    """Nodes and constants in the order added; every call returns the name of what it made."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Any, dtype: Any = np.float32) -> str:
        # np.array keeps a scalar a scalar; ascontiguousarray makes it 1-d and breaks the runtime.
        self.constants.append(
            numpy_helper.from_array(np.array(value, dtype=dtype, order="C"), name)
        )
        return name

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        name = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, x: str, prefix: str) -> str:
        weight = self.constant(f"{prefix}.weight", self.weights[f"{prefix}.weight"].T)
        bias = self.constant(f"{prefix}.bias", self.weights[f"{prefix}.bias"])
        return self.node("Add", self.node("MatMul", x, weight), bias)

    def norm(self, x: str, prefix: str, epsilon: float) -> str:
        weight = self.constant(f"{prefix}.weight", self.weights[f"{prefix}.weight"])
        bias = self.constant(f"{prefix}.bias", self.weights[f"{prefix}.bias"])
        return self.node("LayerNormalization", x, weight, bias, axis=-1, epsilon=epsilon)


def build_graph(source: Path, target: Path) -> None:
    """Write the float32 graph of the model in folder `source` to `target`. About a second."""
    config = json.loads((source / "config.json").read_text("utf-8"))
    loaded = load_file(source / "model.safetensors")
    graph = Graph({name.removeprefix("bert."): tensor for name, tensor in loaded.items()})
    hidden = encode(graph, config)
    graph.node("Identity", hidden, output=TOKENS)
    _pool(graph, hidden)

    width = config["hidden_size"]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "seq"]) for n in INPUTS]
    outputs = [
        helper.make_tensor_value_info(SENTENCE, TensorProto.FLOAT, ["batch", width]),
        helper.make_tensor_value_info(TOKENS, TensorProto.FLOAT, ["batch", "seq", width]),
    ]
    proto = helper.make_graph(graph.nodes, "encoder", inputs, outputs, graph.constants)
    model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    # The quantiser would warn that the graph wasn't simplified; there is nothing in it to simplify.
    helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
    onnx.checker.check_model(model)
    onnx.save_model(model, str(target))


def encode(graph: Graph, config: dict[str, Any]) -> str:
    """All layers over `INPUTS`; answers the name of the last hidden state, and makes `mask`."""
    width, heads = config["hidden_size"], config["num_attention_heads"]
    epsilon = config["layer_norm_eps"]
    x = graph.norm(_embeddings(graph), "embeddings.LayerNorm", epsilon)
    mask = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT, output="mask")
    hidden = graph.node("Sub", graph.constant("one", 1.0), mask)
    low = graph.node("Mul", hidden, graph.constant("low", -1e4))
    bias = graph.node("Unsqueeze", low, graph.constant("axes", [1, 2], np.int64))
    split = graph.constant("split", [0, 0, heads, width // heads], np.int64)
    joined = graph.constant("joined", [0, 0, width], np.int64)
    scale = graph.constant("scale", 1 / np.sqrt(width // heads))
    root = graph.constant("root", np.sqrt(2))
    half = graph.constant("half", 0.5)
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        parts = [
            graph.node(
                "Transpose",
                graph.node("Reshape", graph.linear(x, f"{layer}.attention.self.{part}"), split),
                perm=[0, 2, 3, 1] if part == "key" else [0, 2, 1, 3],
            )
            for part in ("query", "key", "value")
        ]
        scaled = graph.node("Mul", graph.node("MatMul", parts[0], parts[1]), scale)
        attention = graph.node("Softmax", graph.node("Add", scaled, bias), axis=-1)
        context = graph.node(
            "Transpose", graph.node("MatMul", attention, parts[2]), perm=[0, 2, 1, 3]
        )
        output = graph.linear(
            graph.node("Reshape", context, joined), f"{layer}.attention.output.dense"
        )
        x = graph.norm(graph.node("Add", output, x), f"{layer}.attention.output.LayerNorm", epsilon)
        wide = graph.linear(x, f"{layer}.intermediate.dense")
        erf = graph.node("Add", graph.node("Erf", graph.node("Div", wide, root)), "one")
        gelu = graph.node("Mul", graph.node("Mul", wide, half), erf)
        output = graph.linear(gelu, f"{layer}.output.dense")
        x = graph.norm(graph.node("Add", output, x), f"{layer}.output.LayerNorm", epsilon)
    return x


def _embeddings(graph: Graph) -> str:
    tables = {
        name: graph.constant(name, graph.weights[f"embeddings.{name}.weight"])
        for name in ("word_embeddings", "token_type_embeddings", "position_embeddings")
    }
    shape = graph.node("Shape", "input_ids")
    length = graph.node("Gather", shape, graph.constant("second", 1, np.int64), axis=0)
    first = graph.constant("first", 0, np.int64)
    positions = graph.node("Range", first, length, graph.constant("step", 1, np.int64))
    words = graph.node("Gather", tables["word_embeddings"], "input_ids")
    types = graph.node("Gather", tables["token_type_embeddings"], "token_type_ids")
    places = graph.node("Gather", tables["position_embeddings"], positions)
    return graph.node("Add", graph.node("Add", words, types), places)


def _pool(graph: Graph, hidden: str) -> None:
    mask = graph.node("Unsqueeze", "mask", graph.constant("last", [2], np.int64))
    axis = graph.constant("axis", [1], np.int64)
    total = graph.node("ReduceSum", graph.node("Mul", hidden, mask), axis, keepdims=0)
    count = graph.node("ReduceSum", mask, axis, keepdims=0)
    mean = graph.node("Div", total, graph.node("Clip", count, graph.constant("tiny", 1e-9)))
    graph.node("LpNormalization", mean, output=SENTENCE, axis=1, p=2)
