"""Measures recall on LoCoMo or LongMemEval files with the settings as they are."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory_app.domain.errors import ProductError
from memory_app.services.evaluation import Evaluation, evaluate, read_locomo, read_longmemeval
from memory_app.services.evaluation.metrics import NAMES


class Command(BaseCommand):
    help = (
        "Load a question set into scratch banks through the write path (judge off), ask it through "
        "the recall path, and print hit@1, hit@10, recall@10, MRR and session@10. The scratch "
        "organization is removed afterwards."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        sets = parser.add_subparsers(dest="set", required=True)
        locomo = sets.add_parser("locomo", help="a LoCoMo file, plain or .xz")
        locomo.add_argument("file", type=Path)
        longmemeval = sets.add_parser("longmemeval", help="LongMemEval files (JSON lines)")
        longmemeval.add_argument("questions", type=Path)
        longmemeval.add_argument("sessions", type=Path)
        for one in (locomo, longmemeval):
            one.add_argument("--first", type=int, help="only so many conversations")
            one.add_argument("--mode", choices=["hybrid", "vector", "keyword"], default="hybrid")
            one.add_argument(
                "--fusion", choices=["weighted", "reciprocal_rank"], default="weighted"
            )
            one.add_argument(
                "--jobs",
                type=int,
                default=min(os.cpu_count() or 1, 4),
                help="conversations at once",
            )
            one.add_argument(
                "--graph",
                type=float,
                action="append",
                default=[],
                metavar="WEIGHT",
                help="name entities by rule and also measure the graph's channel by this weight",
            )
            one.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["set"] == "locomo":
                conversations = read_locomo(options["file"])
            else:
                conversations = read_longmemeval(options["questions"], options["sessions"])
            measured = evaluate(
                conversations[: options["first"]],
                mode=options["mode"],
                fusion=options["fusion"],
                jobs=max(options["jobs"], 1),
                graph=options["graph"],
                report=lambda line: self.stderr.write(line),
            )
        except ProductError as error:
            raise CommandError(f"{error.message} {error.hint}") from error
        if options["json"]:
            self.stdout.write(json.dumps(asdict(measured)))
        else:
            self._print(measured)

    def _print(self, measured: Evaluation) -> None:
        self.stdout.write(f"{'':24}{'questions':>10}" + "".join(f"{name:>12}" for name in NAMES))
        for name, averages in measured.by_type.items():
            self._row(name, measured.questions[name], averages)
        self._row("all", sum(measured.questions.values()), measured.total)
        for weight, averages in measured.graph.items():
            self._row(f"all, graph {weight:g}", sum(measured.questions.values()), averages)
        self.stdout.write(
            f"{measured.memories} memories ({measured.merged} turns merged into others), "
            f"{measured.seconds:.0f} s in all; summed over the jobs: stored in "
            f"{measured.loading_seconds:.0f} s, asked in {measured.asking_seconds:.0f} s"
        )

    def _row(self, name: str, count: int, averages: Mapping[str, float | None]) -> None:
        cells = ("-" if averages[key] is None else f"{averages[key]:.3f}" for key in NAMES)
        self.stdout.write(f"{name:24}{count:>10}" + "".join(f"{cell:>12}" for cell in cells))
