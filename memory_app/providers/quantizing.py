"""Weights in eight bits, made once from those in 32."""

from __future__ import annotations

import logging
from pathlib import Path


def quantize(whole: Path, small: Path) -> None:
    """Write `small`. Takes seconds and 60 MB: imported only where weights are made."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # It advises, through the root logger, a preparation that our graphs don't need.
    root = logging.getLogger()
    root.addFilter(_no_advice)
    try:
        quantize_dynamic(whole, small, weight_type=QuantType.QInt8, per_channel=True)
    finally:
        root.removeFilter(_no_advice)


def _no_advice(record: logging.LogRecord) -> bool:
    return "pre-processing before quantization" not in record.getMessage()
