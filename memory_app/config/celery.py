"""The Celery application; tasks are found in `memory_app.tasks`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_app.config.settings.embedded")

app = Celery("commonplace")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["memory_app"], related_name="tasks")
