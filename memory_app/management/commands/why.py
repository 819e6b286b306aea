"""Where a memory comes from, whom it served and what became of it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.core.serializers.json import DjangoJSONEncoder

from accounts.tenancy import acting_as
from memory_app.domain.errors import NotFound
from memory_app.management.banks import refusals
from memory_app.queries import provenance
from memory_app.queries.access import resolve
from memory_app.services.fact_replies import why_reply
from memory_app.services.operating import operator_in, operators


class Command(BaseCommand):
    help = "Print the provenance of the memory ID as JSON: ledger, versions, recalls, saves."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", help="id of a memory; with --bank also its slug")
        parser.add_argument("--bank", help="slug or id; every bank is looked through without it")
        parser.add_argument("--organization", help="slug")

    def handle(self, *args: Any, **options: Any) -> None:
        with refusals():
            story = self._find(options)
        self.stdout.write(json.dumps(story, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2))

    def _find(self, options: dict[str, Any]) -> Any:
        named = options["bank"]
        banks = (
            operators()
            if named is None
            else [operator_in(named, organization=options["organization"])]
        )
        for actor, bank in banks:
            with acting_as(actor):
                try:
                    return why_reply(provenance.why(resolve(actor, bank), options["id"]))
                except NotFound:
                    continue
        raise NotFound("memory")
