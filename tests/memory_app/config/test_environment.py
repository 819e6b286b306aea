import pytest
from django.core.exceptions import ImproperlyConfigured

from memory_app.config.environment import celery_broker, database_settings


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgresql://app:p%40ss@db.example.com:5433/notes", "db.example.com", "5433"),
        ("postgres://app:p%40ss@db.example.com/notes", "db.example.com", ""),
        ("postgresql://app:p%40ss@[::1]:5432/notes", "::1", "5432"),
        ("postgresql://app:p%40ss@%2Ftmp%2FUpper%20Case/notes", "/tmp/Upper Case", ""),
        ("postgresql://app:p%40ss@/notes", "", ""),
    ],
)
def test_a_database_url_names_server_role_and_database(url: str, host: str, port: str) -> None:
    found = database_settings(url)

    assert (found["HOST"], found["PORT"]) == (host, port)
    assert (found["USER"], found["PASSWORD"], found["NAME"]) == ("app", "p@ss", "notes")


def test_parameters_of_the_url_reach_the_driver() -> None:
    found = database_settings("postgresql://app@db/notes?sslmode=require&sslrootcert=%2Fca.pem")

    assert found["OPTIONS"] == {"sslmode": "require", "sslrootcert": "/ca.pem"}


@pytest.mark.parametrize("url", ["", "notes", "sqlite:///notes", "postgresql://db.example.com"])
def test_what_is_no_database_url_is_refused_by_its_name(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_OWNER_URL must look like"):
        database_settings(url, name="DATABASE_OWNER_URL")


def test_the_broker_is_named_as_celery_spells_a_socket() -> None:
    assert celery_broker("unix:///tmp/a/valkey.sock") == "redis+socket:///tmp/a/valkey.sock"
    assert celery_broker("rediss://cache:6380/1") == "rediss://cache:6380/1"
