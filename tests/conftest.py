from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker, Settings
from pytest_django.plugin import blocking_manager_key

from memory_app.providers.embedding.registry import forget_embedders
from tests.database import Cluster, point_django_at, start_cluster
from tests.factories import World, make_world
from tests.live import LiveServer
from tests.security import statements

WITHOUT_DATABASE = ("tests/architecture/", "tests/memory_app/domain/", "tests/memory_app/formats/")
BREAKING_IN = ("tests/security/test_isolation.py", "tests/security/test_statements.py")
# Minutes in few tests, much of them waiting: begun last, one process would do them alone.
LONGEST = ("tests/architecture/test_checks.py", "tests/running/", "tests/browser/")
_cluster: Cluster | None = None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give each parallel process a copy of the migrated database; the server is this process's."""
    # Migrating is this process's first use of the database, which pytest-django forbids outside tests.
    with node.config.stash[blocking_manager_key].unblock():
        node.workerinput["database"] = _running().copy_database(f"tests_{node.gateway.id}")


def pytest_unconfigure() -> None:
    global _cluster
    if _cluster is not None:
        _cluster.stop()
        _cluster = None


@pytest.fixture(scope="session")
def database(request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """A migrated database, open for the whole run: no test is wrapped in a transaction."""
    with django_db_blocker.unblock():
        given = getattr(request.config, "workerinput", {}).get("database")
        point_django_at(given or _running().copy_database("tests_alone"))
        statements.read_all()
        yield


@pytest.fixture(scope="session")
def django_db_setup(database: None) -> None:
    """Take the place of pytest-django's own test database."""


@pytest.fixture(autouse=True)
def _statements_read(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test proves that its statements name a bank, except those that break in on purpose."""
    monkeypatch.setattr(statements, "exempt", request.node.nodeid.startswith(BREAKING_IN))


@pytest.fixture(autouse=True)
def _database_for_each_test(request: pytest.FixtureRequest) -> None:
    if not request.node.nodeid.startswith(WITHOUT_DATABASE):
        request.getfixturevalue("database")


@pytest.fixture
def world() -> World:
    """An organization of this test's own."""
    return make_world()


@pytest.fixture
def stranger() -> World:
    """Somebody else's organization, with a bank of the same name."""
    return make_world()


@pytest.fixture
def minilm(settings: Settings) -> Iterator[None]:
    """The real default embedder, for tests that depend on meaning. Ask for it before `world`."""
    settings.EMBEDDING = settings.EMBEDDING | {"BACKEND": "onnx"}
    forget_embedders()
    yield
    forget_embedders()


@pytest.fixture(scope="session")
def live_url(database: None) -> Iterator[str]:
    """The whole web process over HTTP, in a thread of this one: `http://127.0.0.1:PORT`."""
    with LiveServer() as server:
        yield server.url


def _running() -> Cluster:
    global _cluster
    if _cluster is None:
        _cluster = start_cluster()
    return _cluster
