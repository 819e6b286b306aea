"""The tool of toolset `graph` that looks for entities which may be one (A15)."""

from __future__ import annotations

from accounts.actor import Actor
from memory_app.mcp import schemas
from memory_app.mcp.quoting import NOTICE
from memory_app.mcp.registry import Arguments, Reply, Tool
from memory_app.mcp.rendering import counted
from memory_app.mcp.toolsets.graph_schemas import ENTITY
from memory_app.mcp.toolsets.graph_text import entity_line
from memory_app.services import consolidating
from memory_app.services.graph_replies import merge_reply


def consolidate(actor: Actor, bank: str, _arguments: Arguments) -> Reply:
    reviews = consolidating.propose_merges(actor, bank)
    return {"proposals": [merge_reply(review) for review in reviews]}


def render_proposals(reply: Reply) -> str:
    found = reply["proposals"]
    if not found:
        return "No two entities look like one. Nothing was changed."
    said = counted(len(found), "proposal waits", "proposals wait")
    parts = [f"{said} for a person; nothing was merged.", NOTICE]
    for proposal in found:
        why = ", ".join(f"{name}: {value}" for name, value in sorted(proposal["evidence"].items()))
        parts.append(f"{proposal['id']} | confidence {proposal['confidence']:.2f} | {why}")
        parts += [f"{one['role']}: {entity_line(one)}" for one in proposal["entities"]]
    return "\n".join(parts)


CONSOLIDATE = Tool(
    name="consolidate",
    toolset="graph",
    title="Look for entities that may be one",
    description=(
        "Look through the bank's entities for pairs that may be one thing under two names (other "
        "spacing, word order, initials, a spelling slip, a legal form) and list the open proposals "
        "with their evidence and a confidence. It merges nothing: a person accepts or rejects each "
        "proposal in the dashboard, and a rejected pair is never proposed again. Names that differ in "
        "a number or an edition (BH-7 and BH-9, draft and final) are never a pair. Use it now and then "
        "after many writes, not before each search. Needs a connection that may write; it counts "
        "against no cap and may take some seconds on a big bank."
    ),
    input_schema=schemas.arguments({}),
    output_schema=schemas.answer(
        {
            "proposals": schemas.items(
                schemas.answer(
                    {
                        "id": schemas.text("Id of the proposal, prop_ and 26 characters."),
                        "kind": schemas.text("merge: the variant would go into the canonical one."),
                        "status": schemas.text("open, until a person decides."),
                        "entities": schemas.items(
                            ENTITY, "The canonical entity, then its variant."
                        ),
                        "evidence": {
                            "type": "object",
                            "description": "Why: name, meaning (cosine), shared_neighbours, relations.",
                        },
                        "confidence": schemas.number("How sure, 0 to 1."),
                    },
                    required=("id", "kind", "entities", "evidence", "confidence"),
                ),
                "Surest first, at most 100.",
            )
        },
        required=("proposals",),
    ),
    tier="read_write",
    handler=consolidate,
    render=render_proposals,
    read_only=False,
    destructive=False,
    idempotent=True,
)

TOOLS = (CONSOLIDATE,)
