"""How good a bank is, and what to do about it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from memory_app.management.banks import add_bank, operator, refusals
from memory_app.services import health


class Command(BaseCommand):
    help = "Print a bank's score, what is weak, what to do, and what recall cost in 30 days."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_bank(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        with refusals():
            found = health.of_bank(*operator(options))
        if options["json"]:
            self.stdout.write(json.dumps(found.reply()))
            return
        self.stdout.write(f"Score: {found.score} of 100")
        for one in found.weak:
            self.stdout.write(f"  -{one.points}  {one.what}. {one.advice}")
        counts, recall = found.counts, found.recall
        self.stdout.write(
            f"Memories: {counts.live:,} live ({counts.pinned:,} pinned, {counts.pending:,} "
            f"pending), {counts.retired:,} retired, {counts.deleted:,} in the bin"
        )
        self.stdout.write(
            f"Recall, {recall.days} days: {recall.reads:,} searches, {recall.answered:,} found "
            f"something, {recall.tokens:,} tokens handed out, {recall.saves:,} saves"
        )
        self.stdout.write(f"Never recalled: {found.never_recalled:,}; stale: {found.stale:,}")
        self.stdout.writelines(f"  {memory_id}" for memory_id in found.stale_ids)
