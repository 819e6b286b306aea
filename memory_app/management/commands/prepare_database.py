"""The part of a deployment that needs a superuser: once, and again after a restore."""

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memory_app.config.backup import connect_to
from memory_app.config.database import make_database, prepare_database, prepare_roles
from memory_app.management.commands.restore import roles_of_the_settings


class Command(BaseCommand):
    help = "Make roles, database and extensions with DATABASE_SUPERUSER_URL; safe to run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--url", default=os.environ.get("DATABASE_SUPERUSER_URL", ""), help="of a superuser"
        )

    def handle(self, *args: Any, url: str, **options: Any) -> None:
        if not url:
            raise CommandError("Name a superuser with --url or DATABASE_SUPERUSER_URL.")
        roles, name = roles_of_the_settings(), settings.DATABASES["owner"]["NAME"]
        with connect_to(url) as connection:
            prepare_roles(connection, roles)
            make_database(connection, roles, name)
        with connect_to(url, name) as connection:
            for warning in prepare_database(connection, roles):
                self.stderr.write(warning)
        self.stdout.write(f"The database {name} is ready for migrations.")
