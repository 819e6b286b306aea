"""Whether the database may lack a migration, told without starting Django."""

import hashlib
import importlib.metadata

from memory_app.config.embedded.services import PROJECT

APPS = ("accounts", "memory_app", "dashboard")


def fingerprint() -> str:
    """Changes with each migration of ours and each version of a package that brings its own."""
    digest = hashlib.sha256()
    for app in APPS:
        for path in sorted((PROJECT / app).glob("migrations/*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    for package in ("Django", "django-allauth", "celery"):
        digest.update(importlib.metadata.version(package).encode())
    return digest.hexdigest()
