"""A way in for a person without a password, or who forgot it."""

from __future__ import annotations

import socket
from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.auth.sign_in import sign_in_link
from memory_app.domain.errors import NotFound
from memory_app.management.commands.create_access import LOCAL_URL


class Command(BaseCommand):
    help = "Print a link that signs a person in once, within 15 minutes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--url", help="the server's address, as the browser reaches it")

    def handle(self, *args: Any, **options: Any) -> None:
        base = options["url"] or settings.PUBLIC_URL or LOCAL_URL
        try:
            self.stdout.write(sign_in_link(options["email"], base))
        except NotFound:
            raise CommandError(f"Nobody has the e-mail address {options['email']!r}.") from None
        if not options["url"] and not _answers(base):
            self.stderr.write(
                f"Nothing answers at {base} now. Start Commonplace (bin/serve) and open the link within "
                "15 minutes; if it starts at another address, name that with --url."
            )


def _answers(url: str) -> bool:
    """Whether anything listens there, within two seconds."""
    where = urlsplit(url)
    port = where.port or (443 if where.scheme == "https" else 80)
    try:
        with socket.create_connection((where.hostname or "", port), timeout=2):
            return True
    except OSError:
        return False
