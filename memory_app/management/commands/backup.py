"""A dump of the whole database into one file."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory_app.config.backup import back_up

HOW = (
    "DATABASE_SUPERUSER_URL is not set: a dump of every organization needs a superuser, or a role "
    "with BYPASSRLS (see docs/backup.md)."
)


class Command(BaseCommand):
    help = "Write the whole database into FILE, while the product runs or not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        url = os.environ.get("DATABASE_SUPERUSER_URL")
        if not url:
            raise CommandError(HOW)
        if not file.absolute().parent.is_dir():
            raise CommandError(f"There is no folder {file.absolute().parent}.")
        back_up(url, file.absolute())
        self.stdout.write(f"Wrote {file} ({file.stat().st_size:,} bytes).")
