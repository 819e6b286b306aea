"""The composition root: settings, URLs, ASGI, Celery. The only part that may know every other."""

from memory_app.config.celery import app as celery_app

__all__ = ["celery_app"]
