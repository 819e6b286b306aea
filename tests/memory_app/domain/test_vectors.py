from __future__ import annotations

import numpy as np

from memory_app.domain.vectors import vector_text


def test_every_half_precision_number_comes_back_exactly() -> None:
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16)

    read = np.array(vector_text(halves.tolist())[1:-1].split(","), np.float64).astype(np.float16)

    assert (read == halves).all()
