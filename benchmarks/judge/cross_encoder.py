"""Fine-tune the upper half of MiniLM to read a pair of statements at once. CPU, one thread.

The lower layers stay as they are, so their output is computed once and the weights to keep are
three layers and a small head: 5 MB as int8. Torch is needed here only.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import generate
import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from memory_app.providers.embedding.weights import find_minilm

FROZEN, LAYERS, HEADS, WIDTH, LONGEST = 3, 6, 12, 384, 96
PARTS = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "intermediate.dense", "output.dense", "attention.output.LayerNorm", "output.LayerNorm",
)  # fmt: skip


class Layer(nn.Module):
    """One BERT layer, with its parts under the names of the safetensors file."""

    def __init__(self, weights: dict[str, Tensor], number: int) -> None:
        super().__init__()
        self.kept = nn.ParameterDict(
            {
                f"{part}.{kind}".replace(".", "|"): nn.Parameter(
                    weights[f"encoder.layer.{number}.{part}.{kind}"].clone()
                )
                for part in PARTS
                for kind in ("weight", "bias")
            }
        )

    def part(self, name: str) -> tuple[Tensor, Tensor]:
        return self.kept[f"{name}|weight".replace(".", "|")], self.kept[
            f"{name}|bias".replace(".", "|")
        ]

    def forward(self, x: Tensor, mask: Tensor, drop: float) -> Tensor:
        def heads(name: str) -> Tensor:
            return (
                functional.linear(x, *self.part(name)).view(*x.shape[:2], HEADS, -1).transpose(1, 2)
            )

        query, key, value = (heads(f"attention.self.{n}") for n in ("query", "key", "value"))
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        found = found.transpose(1, 2).reshape(x.shape)
        found = functional.dropout(
            functional.linear(found, *self.part("attention.output.dense")), drop
        )
        x = functional.layer_norm(
            x + found, (WIDTH,), *self.part("attention.output.LayerNorm"), 1e-12
        )
        wide = functional.gelu(functional.linear(x, *self.part("intermediate.dense")))
        found = functional.dropout(functional.linear(wide, *self.part("output.dense")), drop)
        return functional.layer_norm(x + found, (WIDTH,), *self.part("output.LayerNorm"), 1e-12)


class Upper(nn.Module):
    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(weights, n) for n in range(FROZEN, LAYERS))
        self.head = nn.Linear(2 * WIDTH, 3)

    def forward(self, x: Tensor, mask: Tensor, drop: float = 0.0) -> Tensor:
        bias = (1.0 - mask[:, None, None, :]) * -1e4
        for layer in self.layers:
            x = layer(x, bias, drop)
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        pooled = torch.cat([x[:, 0], mean], dim=1)
        return self.head(functional.dropout(pooled, drop))


class Pairs:
    """Lower layers' output for each pair, computed once."""

    def __init__(self) -> None:
        folder = find_minilm().path
        self.weights = load_file(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST, strategy="longest_first")
        self.lower = [Layer(self.weights, n) for n in range(FROZEN)]

    @torch.no_grad()
    def lowered(self, rows: Sequence[tuple[str, str]]) -> list[Tensor]:
        found: list[Tensor] = [torch.empty(0)] * len(rows)
        read = self.tokenizer.encode_batch(list(rows))
        order = sorted(range(len(rows)), key=lambda i: len(read[i].ids))
        for start in range(0, len(order), 64):
            chunk = order[start : start + 64]
            longest = max(len(read[i].ids) for i in chunk)
            ids = torch.zeros(len(chunk), longest, dtype=torch.long)
            types, mask = torch.zeros_like(ids), torch.zeros(len(chunk), longest)
            for row, i in enumerate(chunk):
                length = len(read[i].ids)
                ids[row, :length] = torch.tensor(read[i].ids)
                types[row, :length] = torch.tensor(read[i].type_ids)
                mask[row, :length] = 1
            w = self.weights
            x = w["embeddings.word_embeddings.weight"][ids]
            x = x + w["embeddings.token_type_embeddings.weight"][types]
            x = x + w["embeddings.position_embeddings.weight"][:longest]
            norm = w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"]
            x = functional.layer_norm(x, (WIDTH,), *norm, 1e-12)
            bias = (1.0 - mask[:, None, None, :]) * -1e4
            for layer in self.lower:
                x = layer(x, bias, 0.0)
            for row, i in enumerate(chunk):
                found[i] = x[row, : len(read[i].ids)].half()
        return found


def stacked(found: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    longest = max(len(x) for x in found)
    batch, mask = torch.zeros(len(found), longest, WIDTH), torch.zeros(len(found), longest)
    for row, x in enumerate(found):
        batch[row, : len(x)] = x.float()
        mask[row, : len(x)] = 1
    return batch, mask


@torch.no_grad()
def logits(model: Upper, found: Sequence[Tensor]) -> np.ndarray:
    order = sorted(range(len(found)), key=lambda i: len(found[i]))
    out = np.zeros((len(found), 3), np.float32)
    for start in range(0, len(order), 64):
        chunk = order[start : start + 64]
        out[chunk] = model(*stacked([found[i] for i in chunk])).numpy()
    return out


def train(rows: list[generate.Row], *, epochs: int, seed: int = 0) -> tuple[Upper, Pairs]:
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    r = random.Random(seed)
    pairs = Pairs()
    started = time.process_time()
    found = pairs.lowered([(old, new) for old, new, _ in rows])
    labels = torch.tensor([generate.LABELS.index(label) for *_, label in rows])
    print(f"lower layers {time.process_time() - started:.0f} s CPU", flush=True)
    model = Upper(pairs.weights)
    head = [p for n, p in model.named_parameters() if n.startswith("head")]
    body = [p for n, p in model.named_parameters() if not n.startswith("head")]
    optimizer = torch.optim.AdamW(
        [{"params": head, "lr": 1e-3}, {"params": body, "lr": 1.5e-4}], weight_decay=0.01
    )
    size = 32
    steps = epochs * (len(rows) // size)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, step / (0.06 * steps + 1)) * max(0.02, 1 - step / steps)
    )
    done, total = 0, 0.0
    for _ in range(epochs):
        order = list(range(len(rows)))
        r.shuffle(order)
        blocks = [
            sorted(order[i : i + size * 20], key=lambda n: len(found[n]))
            for i in range(0, len(order), size * 20)
        ]
        batches = [block[j : j + size] for block in blocks for j in range(0, len(block), size)]
        r.shuffle(batches)
        for batch in batches:
            answer = model(*stacked([found[i] for i in batch]), 0.1)
            loss = functional.cross_entropy(answer, labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            done, total = done + 1, total + loss.item()
            if done % 50 == 0:
                print(
                    f"{done}/{steps} loss {total / 50:.3f} {time.process_time() - started:.0f} s CPU",
                    flush=True,
                )
                total = 0.0
    return model, pairs


def save(model: Upper, target: Path) -> None:
    """int8 with one scale for each output row; vectors stay float16."""
    kept: dict[str, np.ndarray] = {}
    tensors = {
        f"encoder.layer.{FROZEN + n}.{name.replace('|', '.')}": p.detach().numpy()
        for n, layer in enumerate(model.layers)
        for name, p in layer.kept.items()
    }
    tensors |= {
        "head.weight": model.head.weight.detach().numpy(),
        "head.bias": model.head.bias.detach().numpy(),
    }
    for name, value in tensors.items():
        if value.ndim == 2 and not name.startswith("head"):
            scale = np.abs(value).max(1, keepdims=True) / 127
            kept[name] = np.round(value / scale).astype(np.int8)
            kept[f"{name}.scale"] = scale[:, 0].astype(np.float32)
        else:
            kept[name] = value.astype(np.float32 if name.startswith("head") else np.float16)
    np.savez_compressed(target, **kept)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=8000)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    model, pairs = train(generate.generate(given.pairs, 0), epochs=given.epochs)
    save(model, given.out / "cross_encoder.npz")
    hold = generate.generate(1500, 99)
    dev = [
        json.loads(line)
        for line in (generate.HERE / "dev_pairs.jsonl").read_text("utf-8").splitlines()
    ]
    for name, rows in (("hold", hold), ("dev", [(d["old"], d["new"], d["label"]) for d in dev])):
        answer = logits(model, pairs.lowered([(old, new) for old, new, _ in rows]))
        np.save(given.out / f"{name}_logits.npy", answer)
        right = answer.argmax(1) == [generate.LABELS.index(label) for *_, label in rows]
        print(name, "accuracy", right.mean())
