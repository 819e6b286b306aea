"""One agent's way in, for scripts: makes what is missing and prints a new key."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.actor import TIER_ORDER
from accounts.models import TOOLSETS, User
from memory_app.domain.errors import ProductError
from memory_app.services.first_access import FirstAccess, give_access

LOCAL_URL = "http://127.0.0.1:8000"


class Command(BaseCommand):
    help = "Make an organization, a bank, an agent and its connection where missing, and a new key."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", required=True, help="slug")
        parser.add_argument("--bank", required=True, help="slug")
        parser.add_argument("--agent", required=True, help="slug")
        parser.add_argument("--tier", choices=list(TIER_ORDER), help="a new one: read_write")
        parser.add_argument("--toolsets", help=f"comma-separated: {','.join(TOOLSETS)}")
        parser.add_argument("--owner", metavar="EMAIL", help="makes this person an owner")
        parser.add_argument("--url", help="the server's address, as clients reach it")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            access = give_access(
                organization=options["organization"],
                bank=options["bank"],
                agent=options["agent"],
                tier=options["tier"],
                toolsets=options["toolsets"],
                owner=_person(options["owner"]) if options["owner"] else None,
            )
        except ProductError as error:
            raise CommandError(f"{error.message} {error.hint}") from None
        answer = _answer(access, options["url"] or settings.PUBLIC_URL or LOCAL_URL)
        if options["json"]:
            self.stdout.write(json.dumps(answer))
        else:
            for name, value in answer.items():
                self.stdout.write(f"{name}: {value}")


def _answer(access: FirstAccess, base: str) -> dict[str, str]:
    url = base.rstrip("/")
    return {
        "url": url,
        "mcp_url": f"{url}/mcp/{quote(access.bank)}",
        "organization": access.organization,
        "bank": access.bank,
        "agent": access.agent,
        "key": access.secret,
    }


def _person(email: str) -> User:
    found = User.objects.filter(email=email.strip().lower()).first()
    return found or User.objects.create_user(email)
