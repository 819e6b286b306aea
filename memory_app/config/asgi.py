"""The ASGI entry: Django, with MCP mounted beside it."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_app.config.settings.embedded")

application = get_asgi_application()
