"""The entry for `manage.py help`; manage.py itself runs `serve` before Django is loaded."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from memory_app.config.embedded.supervisor import add_arguments, serve


class Command(BaseCommand):
    help = "Run Commonplace with its own database and broker: all that bin/serve starts."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        serve([f"--{name}={options[name]}" for name in ("host", "port")])
