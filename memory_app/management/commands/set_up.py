"""What a start needs done once: migrations, and at the very first one somebody to sign in as."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connections

from accounts.auth.sign_in import sign_in_link
from accounts.models import User
from memory_app.services.first_access import give_access

ORGANIZATION, BANK, AGENT = "home", "main", "assistant"
OWNER = "owner@localhost"


class Command(BaseCommand):
    help = "Migrate the database; with --first also make the first organization, person and agent."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--first", action="store_true")

    def handle(self, *args: Any, first: bool, **options: Any) -> None:
        call_command("migrate", database="owner", verbosity=0, interactive=False, skip_checks=True)
        connections["owner"].close()
        made = _welcome() if first and not User.objects.exists() else {}
        self.stdout.write(json.dumps(made))


def _welcome() -> dict[str, str]:
    owner = User.objects.create_user(OWNER, name="Owner")
    access = give_access(organization=ORGANIZATION, bank=BANK, agent=AGENT, owner=owner)
    return {
        "email": owner.email,
        "sign_in": sign_in_link(owner.email, settings.PUBLIC_URL),
        "mcp_url": f"{settings.PUBLIC_URL}/mcp/{access.bank}",
        "bank": access.bank,
        "agent": access.agent,
        "key": access.secret,
    }
