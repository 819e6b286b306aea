from pathlib import Path

from memory_app.config.embedded.services import PROJECT

LARGEST = 400
SOURCES = ("accounts", "memory_app", "dashboard", "tests", "benchmarks")


def test_no_module_is_longer_than_400_lines() -> None:
    modules = [path for source in SOURCES for path in (PROJECT / source).rglob("*.py")]
    counted = {path: _lines(path) for path in modules if "node_modules" not in path.parts}

    too_long = {
        str(path.relative_to(PROJECT)): lines
        for path, lines in counted.items()
        if lines > LARGEST and "migrations" not in path.parts
    }

    assert len(counted) > 50
    assert too_long == {}


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())
