from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running.product import Product


@pytest.fixture
def product(tmp_path: Path) -> Iterator[Product]:
    """An installation of the test's own, not started yet; ended whatever the test did."""
    yield from _installation(tmp_path)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One running installation for the tests of a module that leave it running."""
    for product in _installation(tmp_path_factory.mktemp("running")):
        product.start()
        yield product


def _installation(parent: Path) -> Iterator[Product]:
    folder = parent / "with a space" / "data"
    folder.parent.mkdir()
    product = Product(folder)
    yield product
    if product.process is not None and product.process.poll() is None:
        product.stop()
