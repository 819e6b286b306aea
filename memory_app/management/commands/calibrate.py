"""How right the system's proposals were, by their confidence."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from memory_app.management.banks import add_bank, operator, refusals
from memory_app.services.calibrating import calibrate


class Command(BaseCommand):
    help = (
        "Print, for each kind of proposal, what share people accepted at each confidence, and the "
        "lowest bar with nine of ten right. A suggestion; nothing is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_bank(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON list")

    def handle(self, *args: Any, **options: Any) -> None:
        with refusals():
            found = calibrate(*operator(options))
        if options["json"]:
            self.stdout.write(json.dumps([asdict(one) for one in found]))
            return
        if not found:
            self.stdout.write("No proposal of this bank was decided yet.")
        for one in found:
            self.stdout.write(f"{one.kind}: {one.decided:,} decided")
            for bar in one.bars:
                share = "-" if bar.precision is None else f"{bar.precision:.3f}"
                self.stdout.write(f"  from {bar.confidence:.2f}: {bar.proposals:>6,}  {share}")
            said = "too few decisions" if one.suggested is None else f"{one.suggested:.2f}"
            self.stdout.write(f"  suggested bar: {said}")
