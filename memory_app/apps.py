from importlib import import_module

from django.apps import AppConfig


class MemoryAppConfig(AppConfig):
    name = "memory_app"
    verbose_name = "Memory"

    def ready(self) -> None:
        """Make the Celery application known to every process that may write a job."""
        import_module("memory_app.config.celery")
