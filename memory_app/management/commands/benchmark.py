"""How long writing and recall take here."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory_app.management.banks import refusals
from memory_app.services.evaluation.latency import measure

MEMORIES_MOST = 100_000
TIMES_MOST = 10_000


class Command(BaseCommand):
    help = (
        "Time writes, queries and digests in a bank of made-up sentences, embedding included. The "
        "bank and its organization are removed afterwards."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--memories", type=int, default=1_000, help="in the bank: 1000")
        parser.add_argument("--times", type=int, default=50, help="of each operation: 50")
        parser.add_argument("--json", action="store_true", help="print one JSON list")

    def handle(self, *args: Any, **options: Any) -> None:
        memories, times = options["memories"], options["times"]
        if not 0 <= memories <= MEMORIES_MOST or not 1 <= times <= TIMES_MOST:
            raise CommandError(
                f"--memories must be from 0 to {MEMORIES_MOST:,}, --times from 1 to {TIMES_MOST:,}."
            )
        with refusals():
            measured = measure(memories=memories, times=times)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(one) for one in measured]))
            return
        self.stdout.write(f"{'':10}{'median ms':>12}{'p95 ms':>12}")
        for one in measured:
            self.stdout.write(f"{one.operation:10}{one.median:>12.2f}{one.p95:>12.2f}")
