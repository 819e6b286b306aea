"""`manage.py serve` as one person's whole installation."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import sys
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from tests.running.product import Product, alive, run_command, wait_for

pytestmark = pytest.mark.slow

ALL_UP = dict.fromkeys(("database", "cache", "worker", "embedder", "judge"), "ok")


def test_one_start_gives_all_that_is_needed_and_ends_in_order(product: Product) -> None:
    greeting = product.start()
    family = product.family()

    assert greeting.startswith("Starting: database...\nStarting: tables...\nStarting: model")
    assert f"{product.url}/sign-in/" in greeting
    assert f"claude mcp add --transport http commonplace {product.url}/mcp" in greeting
    assert f'"Authorization": "Bearer {product.key}"' in greeting
    assert product.call("GET", "/readyz") == (200, {"status": "ok", "parts": ALL_UP})
    assert product.call("GET", "/livez")[0] == 200

    assert product.stop(signal.SIGINT) == 0
    assert alive(family) == set()
    assert not (product.folder / "runtime.json").exists()


def test_later_starts_and_links_know_the_owner_and_the_last_address(product: Product) -> None:
    product.start()
    product.stop()

    link = run_command("sign_in_link", "owner@localhost", "--data-dir", str(product.folder))
    again = product.start()
    beside = run_command("sign_in_link", "owner@localhost", "--data-dir", str(product.folder))

    assert link.stdout.startswith(f"{product.url}/sign-in/")
    assert f"Nothing answers at {product.url} now." in link.stderr
    assert "sign_in_link owner@localhost --data-dir" in again
    assert beside.stdout.startswith(f"{product.url}/sign-in/")
    assert beside.stderr == ""


def test_what_only_the_owner_may_read_is_closed_to_others(running: Product) -> None:
    sockets = Path(json.loads((running.folder / "runtime.json").read_text())["sockets"])

    assert _mode(running.folder / "secrets.json") == 0o600
    assert _mode(running.folder / "runtime.json") == 0o600
    assert _mode(running.folder / "postgres") == 0o700
    assert _mode(sockets) == 0o700
    assert len(str(sockets / ".s.PGSQL.5432")) < 100


def test_an_open_page_hears_of_a_write_over_the_channel_layer(running: Product) -> None:
    browser = httpx.Client(base_url=running.url, follow_redirects=True)
    found = re.search(r"/sign-in/\S+", running.printed())
    assert found is not None
    page = browser.get(found.group())
    address = re.search(r'data-live="([^"]+)"', page.text)
    assert address is not None

    with connect(
        running.url.replace("http", "ws") + address.group(1),
        origin=running.url,
        additional_headers={"Cookie": f"sessionid={browser.cookies['sessionid']}"},
    ) as socket:
        socket.recv(timeout=10)
        status, saved = running.call(
            "POST", "/api/v1/banks/main/memories", {"content": "Pages follow."}
        )
        told = iter(lambda: str(socket.recv(timeout=10)), None)
        heard = next(raw for raw in told if saved["memory"]["id"] in raw)

    assert status == 201
    assert "Pages follow" not in heard


def test_a_second_copy_and_a_taken_port_are_refused_in_one_sentence(running: Product) -> None:
    second = run_command("serve", "--port", "1", "--data-dir", str(running.folder))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        elsewhere = running.folder.parent / "other"
        third = run_command("serve", "--port", str(port), "--data-dir", str(elsewhere))

    assert second.returncode == 1
    assert f"Another copy is already running on {running.folder}" in second.stderr
    assert third.returncode == 1
    assert f"port {port}: Address already in use" in third.stderr
    assert not elsewhere.exists()


def test_commands_work_beside_a_running_copy_and_without_one(product: Product) -> None:
    command = ("create_access", "--organization", "acme", "--bank", "notes", "--agent", "bot")
    place = ("--tier", "full", "--data-dir", str(product.folder), "--json")
    alone = run_command(*command, *place)
    product.start()
    beside = run_command(*command, *place)

    first, second = json.loads(alone.stdout), json.loads(beside.stdout)

    assert first["organization"] == second["organization"] == "acme"
    assert second["url"] == product.url
    assert second["mcp_url"].startswith(f"{product.url}/mcp")
    product.key = first["key"]
    assert product.call("GET", "/api/v1/banks")[0] == 200
    product.key = second["key"]
    assert product.call("GET", "/api/v1/banks")[0] == 200


@pytest.mark.parametrize("name", ["postgres", "valkey", "worker", "web"])
def test_a_killed_part_is_started_again(running: Product, name: str) -> None:
    before = running.pid(name)

    os.kill(before, signal.SIGKILL)

    wait_for(lambda: running.pid(name) not in (0, before), patience=30)
    wait_for(running.ready, patience=60)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends orphans by itself")
def test_a_killed_supervisor_leaves_nothing_running_and_starts_again(product: Product) -> None:
    product.start()
    family = product.family()

    os.kill(product.process.pid, signal.SIGKILL)  # type: ignore[union-attr]
    product.process.wait(10)  # type: ignore[union-attr]
    wait_for(lambda: alive(family) == set(), patience=30)
    again = product.start()

    assert "is running at" in again
    assert "shown only now" not in again
    assert product.ready()


@pytest.mark.skipif(os.geteuid() != 0, reason="another user for the servers takes root")
def test_the_database_runs_below_a_folder_that_its_user_cannot_enter(product: Product) -> None:
    product.folder.parent.chmod(0o700)

    product.start()

    assert product.ready()
    assert _mode(product.folder.parent) == 0o700


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
