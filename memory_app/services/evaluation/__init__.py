"""Measuring recall on public question sets, through the write path and the recall path of the product.

Direction: running > scratch, metrics > corpora.
"""

from memory_app.services.evaluation.corpora import read_locomo, read_longmemeval
from memory_app.services.evaluation.running import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate", "read_locomo", "read_longmemeval"]
