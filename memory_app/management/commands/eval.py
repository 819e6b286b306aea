"""Measures recall with the settings as they are: on LoCoMo, on LongMemEval, on a bank's own memories."""

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
from memory_app.management.banks import add_bank, operator, refusals
from memory_app.services.evaluation import (
    Evaluation,
    evaluate,
    evaluate_own_bank,
    own_bank,
    read_locomo,
    read_longmemeval,
)
from memory_app.services.evaluation.metrics import NAMES
from memory_app.services.evaluation.own_bank import SAMPLE


class Command(BaseCommand):
    help = (
        "Load a question set into scratch banks through the write path (judge off), ask it through "
        "the recall path, and print hit@1, hit@10, recall@10, MRR and session@10. The scratch "
        "organization is removed afterwards. Or ask a bank questions made of its own memories, "
        "which changes nothing."
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

        own = sets.add_parser("own-bank", help="questions that a bank itself answers")
        add_bank(own)
        own.add_argument("--sample", type=int, default=SAMPLE, help="of so many memories")
        own.add_argument(
            "--context", action="store_true", help="what a recall costs against everything"
        )
        own.add_argument(
            "--sweep",
            action="store_true",
            help="by weights and token budgets; with --context over growing parts of the bank",
        )
        own.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["set"] == "own-bank":
            self._own_bank(options)
            return
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

    def _own_bank(self, options: dict[str, Any]) -> None:
        with refusals():
            measured = evaluate_own_bank(
                *operator(options),
                sample=max(options["sample"], 1),
                context=options["context"],
                sweep=options["sweep"],
            )
        if options["json"]:
            self.stdout.write(json.dumps(asdict(measured)))
            return
        self.stdout.write(f"{'':24}{'questions':>10}" + "".join(f"{n:>12}" for n in own_bank.NAMES))
        rows = {**measured.by_shape, "all": measured.total}
        rows |= {f"all, vectors {share:g}": one for share, one in measured.weights.items()}
        rows |= {f"all, {tokens:,} tokens": one for tokens, one in measured.budgets.items()}
        for name, one in rows.items():
            self._row(name, one.questions, one.averages)
        for part in measured.context:
            than_all = "less" if part.saving >= 0 else "more"
            self.stdout.write(
                f"{part.memories:,} memories: {part.everything:,} tokens in all, "
                f"{part.recalled:,.0f} a recall ({abs(part.saving):.1%} {than_all}), "
                f"hit@10 {part.found:.3f}"
            )

    def _row(self, name: str, count: int, averages: Mapping[str, float | None]) -> None:
        cells = ("-" if averages[key] is None else f"{averages[key]:.3f}" for key in averages)
        self.stdout.write(f"{name:24}{count:>10}" + "".join(f"{cell:>12}" for cell in cells))
