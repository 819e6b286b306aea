"""The ASGI entry: Django, with MCP mounted beside it."""

from django.core.asgi import get_asgi_application

from memory_app.config.environment import choose_settings

choose_settings()

application = get_asgi_application()
