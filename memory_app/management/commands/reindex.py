"""What is computed from a bank's rows, computed again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from memory_app.management.banks import add_bank, operator, refusals
from memory_app.services import reindexing, upkeep
from memory_app.services.relinking import relink


class Command(BaseCommand):
    help = (
        "Make the vectors and words that a bank lacks, recount the degrees of its entities and its "
        "common words. Safe while the bank is served; a stopped run goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_bank(parser)
        parser.add_argument("--all", action="store_true", help="also what has a vector, and links")
        parser.add_argument("--after", metavar="CELL", help="with --all: go on behind this cell")

    def handle(self, *args: Any, **options: Any) -> None:
        with refusals():
            actor, bank = operator(options)
            if options["all"]:
                made = reindexing.rebuild(
                    actor, bank, after=options["after"], report=self._progress
                )
            else:
                made = reindexing.fill_vectors(actor, bank, report=self._progress)
            links = relink(actor, bank) if options["all"] else 0
            degrees = reindexing.recount_degrees(actor, bank)
            common = upkeep.refresh_terms(actor, bank)
        self.stdout.write(
            f"{made:,} texts embedded, {links:,} links changed, {degrees:,} degrees "
            f"corrected, {common:,} common words."
        )

    def _progress(self, progress: reindexing.Progress) -> None:
        self.stderr.write(f"{progress.done:,} {progress.what}, up to {progress.last}")
