"""Imports that are too long for a request."""

from __future__ import annotations

from celery import shared_task

from memory_app.services import importing


@shared_task(name="memory_app.work_import")  # type: ignore[untyped-decorator]
def work_import(organization_id: str, bank_id: str, job_id: str) -> str:
    """Read, look at, store or take back the lines of an import: the phase it is in."""
    return importing.perform(organization_id, bank_id, job_id)
