"""Causes that stored facts state in their own words, typed late."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from memory_app.management.banks import add_bank, operator, refusals
from memory_app.providers.judging.causal import CauseReader
from memory_app.providers.judging.language_model import ChatEndpoint
from memory_app.services import hinting


class Command(BaseCommand):
    help = (
        "Show the facts of a bank whose own sentence states a cause, each with the words that say "
        "so. Nothing is changed without --write; --clear takes back what was written this way."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_bank(parser)
        parser.add_argument("--write", "--apply", action="store_true", help="type these facts")
        parser.add_argument(
            "--clear", action="store_true", help="take back every hint written late (with --write)"
        )
        parser.add_argument(
            "--reader",
            choices=["words", "model"],
            default="model" if settings.JUDGE["MODEL"] else "words",
            help="the language model of JUDGE_MODEL, or the connectives alone",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        with refusals():
            actor, bank = operator(options)
            if options["clear"]:
                self._clear(hinting.clear(actor, bank, dry_run=not options["write"]), options)
                return
            found = hinting.suggest(actor, bank, _reader(options["reader"]))
            written = hinting.write(actor, bank, found.suggestions) if options["write"] else 0
        if options["json"]:
            self.stdout.write(json.dumps(asdict(found) | {"written": written}))
            return
        for one in found.suggestions:
            self.stdout.write(f"{one.memory_id}  {one.source} {one.hint} {one.target}")
            self.stdout.write(f'    "{one.quote}"')
        self.stdout.write(
            f"{found.facts:,} facts without a hint, {found.read:,} with a connective, "
            f"{len(found.suggestions):,} state a cause; "
            + (f"{written:,} written." if options["write"] else "nothing written (--write does).")
        )

    def _clear(self, cleared: int, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps({"cleared": cleared, "written": options["write"]}))
        elif options["write"]:
            self.stdout.write(f"{cleared:,} hints taken back.")
        else:
            self.stdout.write(
                f"{cleared:,} hints were written late; --clear --write takes them back."
            )


def _reader(name: str) -> hinting.Reader:
    if name == "words":
        return hinting.WordReader()
    chosen = settings.JUDGE
    return CauseReader(
        ChatEndpoint(base=chosen["API_BASE"], model=chosen["MODEL"], key=chosen["API_KEY"])
    )
