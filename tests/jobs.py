"""Work for later, done now: no worker runs in tests."""

from __future__ import annotations

from accounts.tenancy import acting_as
from memory_app import tasks
from memory_app.models import Job
from tests.factories import World


def waiting_jobs(world: World) -> list[Job]:
    """The bank's jobs, oldest first."""
    with acting_as(world.person):
        return list(Job.objects.filter(bank=world.bank).order_by("id"))


def do_jobs(world: World) -> list[str]:
    """Run every waiting job once through its task; what each answered."""
    return [
        getattr(tasks, job.task)(world.organization.id, world.bank.id, job.id)
        for job in waiting_jobs(world)
    ]
