"""The ASGI entry: Django, with MCP mounted beside it."""

from django.core.asgi import get_asgi_application

from memory_app.config.environment import start_django

start_django()

application = get_asgi_application()
