"""What a start needs done once: migrations, and at the very first one somebody to sign in as."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connections


class Command(BaseCommand):
    help = "Migrate the database; with --first also make the first organization, person and agent."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--first", action="store_true")

    def handle(self, *args: Any, first: bool, **options: Any) -> None:
        call_command("migrate", database="owner", verbosity=0, interactive=False)
        connections["owner"].close()
        made: dict[str, str] = {}
        self.stdout.write(json.dumps(made))
