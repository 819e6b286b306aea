"""Every bank of the server on one line each."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from memory_app.management.banks import refusals
from memory_app.services import health
from memory_app.services.operating import operators


class Command(BaseCommand):
    help = "Print every bank with its score, memories, waiting jobs and open proposals."

    def handle(self, *args: Any, **options: Any) -> None:
        row = "{:32}{:>7}{:>10}{:>10}{:>10}{:>10}{:>10}"
        self.stdout.write(
            row.format("bank", "score", "live", "pending", "waiting", "failed", "proposals")
        )
        with refusals():
            for actor, bank in operators():
                found = health.of_bank(actor, bank)
                counts = found.counts
                self.stdout.write(
                    row.format(
                        found.access.bank.slug[:31],
                        found.score,
                        counts.live,
                        counts.pending,
                        counts.waiting_jobs,
                        counts.failed_jobs,
                        counts.open_proposals,
                    )
                )
