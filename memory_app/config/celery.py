"""The Celery application; tasks are found in `memory_app.tasks`.

`COMMONPLACE_BEAT` names a schedule file: then this worker also keeps the clock, in a thread, so
that a killed worker leaves no second clock behind.
"""

import os

from celery import Celery
from celery.beat import EmbeddedService
from celery.signals import setup_logging, worker_ready

from memory_app.config.environment import choose_settings

choose_settings()

app = Celery("commonplace")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["memory_app"], related_name="tasks")
# In every thread, not only in the one that imports this.
app.set_default()


@setup_logging.connect  # type: ignore[untyped-decorator]
def leave_logging_to_the_settings(**_: object) -> None:
    """A receiver is enough: Celery then sets up nothing of its own."""


@worker_ready.connect  # type: ignore[untyped-decorator]
def keep_the_clock(**_: object) -> None:
    schedule_file = os.environ.get("COMMONPLACE_BEAT")
    if schedule_file:
        EmbeddedService(app, thread=True, schedule_filename=schedule_file).start()


@worker_ready.connect  # type: ignore[untyped-decorator]
def tell_that_the_worker_lives(**_: object) -> None:
    from memory_app.config.heartbeat import start_beating

    start_beating()


@worker_ready.connect  # type: ignore[untyped-decorator]
def begin_again(**_: object) -> None:
    """The purge has no job row that tells of one cut off in the middle, and its hour may be long."""
    app.send_task("memory_app.purge", expires=3600)
