import os
import subprocess
import sys

import pytest

from memory_app.config.embedded.services import PROJECT

SAFE = {
    "DJANGO_SETTINGS_MODULE": "memory_app.config.settings.production",
    "SECRET_KEY": "kX0vQ2mZr8tYw4uJ6sLq9eBn1cDf3gHi5aPo7xRzTbVyWmKdQeRt",
    "ALLOWED_HOSTS": "memory.example.com",
    "DATABASE_URL": "postgresql://commonplace_app:a@db.example.com:5432/commonplace",
    "DATABASE_OWNER_URL": "postgresql://commonplace_owner:b@db.example.com:5432/commonplace",
    "REDIS_URL": "rediss://cache.example.com:6379/0",
}

UNSAFE = {
    "a short secret": ({"SECRET_KEY": "short"}, "SECRET_KEY must be random"),
    "no secret": ({"SECRET_KEY": ""}, "SECRET_KEY is not set"),
    "any host": ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS must name the hosts"),
    "no host": ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS is not set"),
    "debugging": ({"DEBUG": "1"}, "DEBUG shows secrets"),
    "no owner": ({"DATABASE_OWNER_URL": ""}, "DATABASE_OWNER_URL is not set"),
    "one role for both": ({"DATABASE_OWNER_URL": SAFE["DATABASE_URL"]}, "use the same role"),
    "another database": ({"DATABASE_URL": "sqlite:///x"}, "DATABASE_URL must look like"),
    "no broker": ({"REDIS_URL": ""}, "REDIS_URL is not set"),
    "another broker": ({"REDIS_URL": "localhost:6379"}, "REDIS_URL must be an address"),
    "a host with a scheme": ({"ALLOWED_HOSTS": "https://a.example"}, "ALLOWED_HOSTS holds"),
    "any page": ({"MCP_ALLOWED_ORIGINS": "*"}, "MCP_ALLOWED_ORIGINS holds '*'"),
    "an unknown embedder": ({"EMBEDDING_BACKEND": "bert"}, "EMBEDDING_BACKEND is 'bert'"),
    "a word for a number": ({"TRUSTED_PROXIES": "many"}, "must be a whole number"),
    "no connections": ({"DATABASE_CONNECTIONS": "0"}, "DATABASE_CONNECTIONS is 0"),
    "an unknown level": ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL is 'LOUD'"),
    "no public host": ({"PUBLIC_URL": "https:///here"}, "PUBLIC_URL must be https:// and a host"),
    "no sender": ({"EMAIL_FROM": "nobody"}, "EMAIL_FROM must look like"),
    "plain http": ({"PUBLIC_URL": "http://memory.example.com"}, "must start with https://"),
}


def test_the_deploy_check_is_clean() -> None:
    done = _check(SAFE)

    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize(("change", "sentence"), UNSAFE.values(), ids=UNSAFE.keys())
def test_an_unsafe_value_stops_the_start_with_a_plain_sentence(
    change: dict[str, str], sentence: str
) -> None:
    done = _check(SAFE | change)

    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def _check(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "INFO"],
        cwd=PROJECT,
        env={"PATH": os.environ["PATH"]} | environment,
        capture_output=True,
        text=True,
    )
