"""Measuring recall on public question sets, through the write path and the recall path of the product.

Direction: running, own_bank > scratch, metrics > corpora.
"""

from memory_app.services.evaluation.corpora import read_locomo, read_longmemeval
from memory_app.services.evaluation.own_bank import OwnBank, evaluate_own_bank
from memory_app.services.evaluation.running import Evaluation, evaluate

__all__ = [
    "Evaluation",
    "OwnBank",
    "evaluate",
    "evaluate_own_bank",
    "read_locomo",
    "read_longmemeval",
]
