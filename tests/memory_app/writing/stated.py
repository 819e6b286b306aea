"""All statements of the pairs that the judge is measured on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data"


def stated_texts() -> list[str]:
    return sorted(
        {
            text
            for file in DATA.glob("*.jsonl")
            for line in file.read_text().splitlines()
            for text in _texts(json.loads(line))
        }
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
