from __future__ import annotations

from tests.memory_app.rest.client import Rest


def test_saved_statement_is_read_back_by_id_and_slug(rest: Rest) -> None:
    answer = rest.post("memories", {"content": "Olive drinks tea.", "tags": ["Food"]})

    saved = answer.json()
    memory = saved["memory"]

    assert answer.status_code == 201
    assert saved["status"] == "created"
    assert rest.get(f"memories/{memory['id']}").json() == memory
    assert rest.get(f"memories/{memory['slug']}/").json() == memory
