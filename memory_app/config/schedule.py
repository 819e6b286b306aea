"""What runs by the clock. Each task is safe to run twice, so two clocks do no harm."""

from typing import Any

from celery.schedules import crontab

SCHEDULE: dict[str, dict[str, Any]] = {
    # With the lease of 30 s: a killed worker's job is taken up again within a minute.
    "sweep": {"task": "memory_app.sweep", "schedule": 15.0, "options": {"expires": 15}},
    "terms": {"task": "memory_app.refresh_terms", "schedule": 300.0, "options": {"expires": 300}},
    "purge": {"task": "memory_app.purge", "schedule": 3600.0, "options": {"expires": 3600}},
    "digests": {"task": "memory_app.send_digests", "schedule": 900.0, "options": {"expires": 900}},
    "tests": {"task": "memory_app.enqueue_tests", "schedule": 60.0, "options": {"expires": 60}},
    "tests_at_night": {
        "task": "memory_app.enqueue_tests",
        "kwargs": {"night": True},
        "schedule": crontab(hour=2, minute=30),
    },
}
