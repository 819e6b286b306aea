"""A whole bank as one file of JSON lines."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from memory_app.management.banks import add_bank, operator, refusals
from memory_app.services.portability import export_bank


class Command(BaseCommand):
    help = "Write everything that a bank holds into FILE (docs/export.md), while it is served."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_bank(parser)
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        unfinished = file.with_name(f"{file.name}.unfinished")
        with refusals():
            actor, bank = operator(options)
            try:
                with unfinished.open("wb") as sink:
                    sink.writelines(export_bank(actor, bank))
                unfinished.replace(file)
            finally:
                unfinished.unlink(missing_ok=True)
        self.stdout.write(f"Wrote {file} ({file.stat().st_size:,} bytes).")
