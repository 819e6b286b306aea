"""What the generated OpenAPI document leaves out and adds."""

from __future__ import annotations

from typing import Any

PREFIX = "/api/v1/"
PATH_PARAMETERS = {
    "bank": "Slug or id (`bank_...`) of a bank.",
    "memory": "Slug or id (`mem_...`) of a memory.",
    "entity": "Name, alias or id (`ent_...`) of an entity.",
    "file": "Id (`file_...`) of a version of an appendix file.",
    "agent": "Slug or id (`agent_...`) of an agent.",
    "connection": "Id (`conn_...`) of a connection.",
    "key": "Id (`key_...`) of a key.",
    "watermark": "A number of the bank's ledger.",
    "import_id": "Id (`imp_...`) of an import.",
    "proposal": "Id (`prop_...`) of a proposal.",
    "recall": "Id (`rec_...`) of a recall, as an answer gave it.",
    "question": "Key of an open question, as the list of gaps gave it.",
    "decision": "Id (`gap_...`) of a decision about a gap.",
    "test": "Id (`test_...`) of a memory test.",
    "change": "Id (`bulk_...`) of a bulk change or a merge.",
    "person": "Id (`user_...`) of a person.",
    "invitation": "Id (`inv_...`) of an open invitation.",
    "link": "Id (`link_...`) of a link between two memories.",
    "view": "Id (`view_...`) of a saved view.",
}


def documented(endpoints: list[Any], **_: Any) -> list[Any]:
    """Only the product's own routes, in the form without a slash at the end."""
    return [
        endpoint
        for endpoint in endpoints
        if endpoint[0].startswith(PREFIX) and not endpoint[0].endswith("/")
    ]


def described(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Say what each part of an address is, and that unknown names in a body are refused."""
    for name, component in result["components"]["schemas"].items():
        if name.endswith("In") and "properties" in component:
            component["additionalProperties"] = False
    for operations in result["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    parameter["description"] = PATH_PARAMETERS[parameter["name"]]
    return result
