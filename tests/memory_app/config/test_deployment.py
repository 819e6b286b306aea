"""The commands of a deployment, with production settings, on a server that is not ours to start."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from memory_app.config.embedded.services import PROJECT

pytestmark = pytest.mark.slow

NAME = "deployed"


@pytest.fixture
def deployment(database: None) -> dict[str, str]:
    """Environment of a deployment whose database doesn't exist yet."""
    with psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"], autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
    urls = {
        name: urlsplit(os.environ[name])._replace(path=f"/{NAME}").geturl()
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL")
    }
    return urls | {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "memory_app.config.settings.production",
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ALLOWED_HOSTS": "memory.example.com",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "EMBEDDING_BACKEND": "hashing",
    }


def test_a_server_is_prepared_migrated_used_dumped_and_restored(
    deployment: dict[str, str], tmp_path: Path
) -> None:
    access = (
        "--organization",
        "acme",
        "--bank",
        "notes",
        "--agent",
        "bot",
        "--owner",
        "a@b.example",
    )
    dump = str(tmp_path / "dump")

    _manage(deployment, "prepare_database")
    _manage(deployment, "prepare_database")
    _manage(deployment, "migrate", "--database", "owner", "--noinput")
    made = _manage(deployment, "create_access", *access)
    _manage(deployment, "backup", dump)
    _manage(deployment, "create_access", *access, "--owner", "late@b.example")
    with (
        psycopg.connect(deployment["DATABASE_URL"]),
        pytest.raises(AssertionError, match=f"running on the database {NAME}: 1 of its"),
    ):
        _manage(deployment, "restore", dump)
    still_there = _manage(deployment, "sign_in_link", "late@b.example")
    _manage(deployment, "restore", dump)
    link = _manage(deployment, "sign_in_link", "a@b.example")

    assert "https://memory.example.com/mcp/notes" in made
    assert "/sign-in/" in still_there
    assert link.startswith("https://memory.example.com/sign-in/")
    with pytest.raises(AssertionError, match="Nobody has the e-mail address"):
        _manage(deployment, "sign_in_link", "late@b.example")


def _manage(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
