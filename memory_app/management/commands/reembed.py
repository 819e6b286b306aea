"""Another embedding model for a bank, step by step."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from memory_app.management.banks import add_bank, operator, refusals
from memory_app.services import reembedding


class Command(BaseCommand):
    help = (
        "Build a bank's vectors by another model beside its own (--model), switch to them "
        "(--switch, with the old one's id to go back within a week) or drop them (--drop). Without an action "
        "it says how things stand. Safe while the bank is served; a stopped build goes on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_bank(parser)
        action = parser.add_mutually_exclusive_group()
        action.add_argument("--model", help="the id of the model to build")
        action.add_argument("--switch", metavar="MODEL", help="the id of the model to switch to")
        action.add_argument("--drop", action="store_true", help="give the second model up")

    def handle(self, *args: Any, **options: Any) -> None:
        with refusals():
            actor, bank = operator(options)
            if options["model"]:
                if reembedding.look_at(actor, bank).open is None:
                    reembedding.start(actor, bank, options["model"])
                reembedding.build(actor, bank, report=self._progress)
            elif options["switch"]:
                reembedding.switch(actor, bank, to=options["switch"])
            elif options["drop"]:
                reembedding.drop(actor, bank)
            self._tell(reembedding.look_at(actor, bank))

    def _tell(self, standing: reembedding.Standing) -> None:
        self.stdout.write(f"The bank's model is {standing.bank.embedding_model}.")
        if standing.open is not None and standing.extent is not None:
            done = f"{standing.extent.done:,} of {standing.extent.total:,} texts"
            self.stdout.write(f"Beside it: {standing.open.model}, {standing.open.status}, {done}.")
        else:
            self.stdout.write(f"It could become: {', '.join(standing.models) or 'no other'}.")

    def _progress(self, made: int) -> None:
        self.stderr.write(f"{made:,} texts")
