"""Whoever can do something in the dashboard can do it over REST, or here stands why not."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from dashboard.urls import urlpatterns
from tests.memory_app.rest.routes import document

# What each address of the dashboard that takes a POST is called over REST.
OPERATIONS = {
    "organization": "create_bank",
    "memory-new": "create_memories",
    "memories-merge": "merge_memories",
    "bulk": "change_in_bulk",
    "bulk-undo": "undo_bulk_change",
    "view-new": "save_view",
    "view": "change_view",
    "view-undo": "change_view",
    "view-remove": "remove_view",
    "view-restore": "restore_view",
    "memory-retire": "retire_memory",
    "memory-link": "add_memory_link",
    "link-remove": "remove_memory_link",
    "link-restore": "restore_memory_link",
    "memory-edit": "edit_memory",
    "memory-edit-undo": "edit_memory",
    "memory-pin-undo": "pin_memory unpin_memory",
    "memory-pin": "pin_memory unpin_memory",
    "memory-delete": "delete_memory",
    "memory-restore": "restore_memory",
    "memory-revive": "revive_memory",
    "entity-change": "update_entity",
    "entity-alias": "add_alias remove_alias",
    "entity-merge": "merge_entity",
    "entity-unmerge": "undo_entity_merge",
    "entity-split": "split_entity",
    "entity-undo": "undo_entity_change",
    "entity-question": "accept_entity_merge reject_entity_merge",
    "entity-question-undo": "undo_entity_merge",
    "pin-question": "confirm_pin unpin_memory retire_memory",
    "pin-question-undo": "revive_memory pin_memory",
    "ledger-verify": "verify_ledger",
    "proposal": "decide_proposal",
    "proposal-undo": "undo_decision",
    "review-bulk": "decide_in_bulk",
    "import": "upload_import",
    "import-documents": "store_file queue_documents",
    "import-document-close": "close_documents",
    "files": "store_file",
    "file": "store_file",
    "file-bin": "bin_file",
    "file-restore": "restore_file",
    "file-delete": "delete_file",
    "import-undo": "undo_import",
    "import-act": "check_import start_import cancel_import resume_import configure_import",
    "agents": "create_agent create_connection",
    "agent": "update_agent",
    "agent-pause": "pause_agent resume_agent",
    "agent-connect": "create_connection",
    "agent-key": "issue_key create_agent create_connection",
    "connection": "update_connection pause_connection resume_connection delete_connection",
    "key": "rotate_key revoke_key",
    "bank-settings": "update_bank",
    "bank-settings-undo": "update_bank",
    "bank-model": "start_reembedding switch_reembedding drop_reembedding",
    "bank-delete": "delete_bank",
    "invite": "create_invitation",
    "invited": "resend_invitation revoke_invitation",
    "member": "update_person remove_person",
    "organization-settings": (
        "update_organization request_organization_deletion cancel_organization_deletion"
    ),
    "access-undo": (
        "update_agent update_connection create_connection delete_connection update_organization "
        "update_person revoke_invitation"
    ),
    "banks": "restore_bank",
    "bank-restore": "restore_bank",
    "gap-answer": "answer_gap",
    "gap-snooze": "snooze_gap",
    "gap-dismiss": "dismiss_gap",
    "gap-undo": "undo_gap",
    "test-new": "create_memory_test",
    "tests-run": "run_memory_tests",
    "test-run": "run_memory_test",
    "test-follow": "edit_memory_test run_memory_test",
    "test-delete": "delete_memory_test",
    "test-restore": "restore_memory_test",
}
# What only makes sense for a person in a browser.
BROWSER_ONLY = {
    "theme": "how the page looks",
    "memory-sample": "a first look at an empty bank",
    "entity-sample": "a first look at an empty graph",
    "sample": "a first look at an organization",
    "digest": "a person's own mail",
    "digest-stop": "the link in that mail",
    "organization-new": "a person's own: an API credential is one organization's",
}
VALUES = {"seq": "1", "watermark": "1", "kind": "jsonl"}


def posts() -> list[str]:
    """Addresses that answer a POST with anything but 405; nobody is signed in."""
    return [str(route.name) for route in urlpatterns if _status(route) != 405]


def test_every_action_of_the_dashboard_is_an_operation_or_says_why_not() -> None:
    assert sorted(posts()) == sorted({**OPERATIONS, **BROWSER_ONLY})


@pytest.mark.parametrize("route", OPERATIONS)
def test_the_operations_exist(route: str) -> None:
    known = {
        operation["operationId"]
        for operations in document()["paths"].values()
        for operation in operations.values()
    }

    assert set(OPERATIONS[route].split()) - known == set()


def _status(route: URLPattern) -> int:
    values = {name: VALUES.get(name, "x") for name in route.pattern.converters}
    return Client().post(reverse(f"dashboard:{route.name}", kwargs=values)).status_code
