"""What of `static/` is served: the stylesheet's source and what it is built from stay behind."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "css/app.css", "*.mjs", "MANIFEST"]
