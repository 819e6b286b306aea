"""The composition root: settings, URLs, ASGI, Celery. The only part that may know every other."""
