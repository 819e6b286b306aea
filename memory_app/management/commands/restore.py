"""A dump, put back in the place of the database."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from memory_app.config.backup import restore
from memory_app.config.database import Roles
from memory_app.management.commands.backup import HOW


class Command(BaseCommand):
    help = "Put the dump in FILE in the place of the database; the product must be stopped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        url = os.environ.get("DATABASE_SUPERUSER_URL")
        if not url:
            raise CommandError(HOW)
        if settings.SERVED_ELSEWHERE:
            raise CommandError("The product is running on this data folder. Stop it first.")
        connections.close_all()
        restore(url, file.absolute(), roles_of_the_settings())
        call_command("migrate", database="owner", verbosity=0, interactive=False)
        self.stdout.write(f"Restored {file}.")


def roles_of_the_settings() -> Roles:
    owner, application = settings.DATABASES["owner"], settings.DATABASES["default"]
    return Roles(
        owner=owner["USER"],
        owner_password=owner["PASSWORD"],
        application=application["USER"],
        application_password=application["PASSWORD"],
    )
