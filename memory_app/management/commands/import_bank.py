"""An exported bank into an empty one."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from memory_app.management.banks import add_bank, operator, refusals
from memory_app.services.portability import import_bank


class Command(BaseCommand):
    help = (
        "Take a FILE of 'export' into an empty bank: all of it or nothing. A worker makes the "
        "vectors afterwards ('reindex' does it at once)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_bank(parser)
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        with refusals(), file.open("rb") as source:
            actor, bank = operator(options)
            imported = import_bank(actor, bank, source)
        if imported.unchanged:
            self.stdout.write("The bank holds all of it already; nothing was changed.")
            return
        rows = ", ".join(f"{count:,} {kind}" for kind, count in imported.counts.items() if count)
        self.stdout.write(f"Imported {rows}; the ledger stands at {imported.head_watermark:,}.")
