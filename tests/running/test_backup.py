"""A dump made beside a running copy, and an installation made again from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running.product import Product, run_command
from tests.running.test_crash import memory_id

pytestmark = pytest.mark.slow


def test_a_backup_brings_back_what_was_there_when_it_was_made(
    product: Product, tmp_path: Path
) -> None:
    dump = tmp_path / "my dump"
    product.start()
    before = product.call("POST", "/api/v1/banks/main/memories", {"content": "Kept for good."})
    made = run_command("backup", str(dump), "--data-dir", str(product.folder))
    after = product.call("POST", "/api/v1/banks/main/memories", {"content": "Written too late."})
    refused = run_command("restore", str(dump), "--data-dir", str(product.folder))
    product.stop()

    elsewhere = Product(tmp_path / "elsewhere")
    restored = run_command("restore", str(dump), "--data-dir", str(elsewhere.folder))
    greeting = elsewhere.start()
    elsewhere.key = product.key
    kept = elsewhere.call("GET", f"/api/v1/banks/main/memories/{memory_id(before[1])}")
    lost = elsewhere.call("GET", f"/api/v1/banks/main/memories/{memory_id(after[1])}")
    found = elsewhere.call("POST", "/api/v1/banks/main/search", {"query": "kept for good"})
    elsewhere.stop()

    assert (made.returncode, restored.returncode) == (0, 0), made.stderr + restored.stderr
    assert dump.stat().st_mode & 0o077 == 0
    assert "Stop it first" in refused.stderr
    assert "shown only now" not in greeting
    assert (kept[0], lost[0], found[0]) == (200, 404, 200)


def test_a_file_that_is_no_dump_leaves_the_database_as_it_was(
    product: Product, tmp_path: Path
) -> None:
    rubbish = tmp_path / "rubbish"
    rubbish.write_text("not a dump")
    place = ("--data-dir", str(product.folder))
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
    run_command("create_access", *access, *place)

    refused = run_command("restore", str(rubbish), *place)
    still_there = run_command("sign_in_link", "a@b.example", *place)

    assert refused.returncode == 1
    assert f"{rubbish} is damaged, cut off, or no file of 'backup'" in refused.stderr
    assert still_there.returncode == 0


def test_a_cut_file_is_called_that_and_changes_nothing(product: Product, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    place = ("--data-dir", str(product.folder))
    access = ("--organization", "acme", "--bank", "notes", "--agent", "bot")
    run_command("create_access", *access, "--owner", "a@b.example", *place)
    run_command("backup", str(whole), *place)
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])

    refused = run_command("restore", str(cut), *place)
    still_there = run_command("sign_in_link", "a@b.example", *place)
    accepted = run_command("restore", str(whole), *place)

    assert refused.returncode == 1
    assert f"{cut} is damaged, cut off" in refused.stderr
    assert "Nothing was changed." in refused.stderr
    assert (still_there.returncode, accepted.returncode) == (0, 0)
