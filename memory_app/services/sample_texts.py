"""What a fictional bakery's agents remember: the texts of the sample bank."""

from __future__ import annotations

from typing import Any

NAME = "Sample: Larkspur Bakery"
ABOUT = "A made-up bakery with a small web shop, to look around in. Remove it whenever you like."

MIRA = {"name": "Mira Okafor", "type": "person", "description": "Owner of the bakery."}
TOMAS = {"name": "Tomas Lind", "type": "person", "description": "Head baker on weekdays."}
ILSE = {"name": "Ilse Brandt", "type": "person", "description": "Runs the web shop."}
SHOP = {"name": "Web shop", "type": "system", "description": "Where customers order ahead."}
OVEN = {"name": "Deck oven", "type": "equipment", "description": "The big oven in the back."}
MILL = {"name": "Hollow Mill", "type": "company", "description": "Supplier of flour."}


def _edge(source: dict[str, str], kind: str, target: dict[str, str]) -> dict[str, str]:
    return {"source": source["name"], "type": kind, "target": target["name"]}


# Each is an observation of the graph: a text with the entities and relationships that it states.
OBSERVATIONS: tuple[dict[str, Any], ...] = (
    {
        "content": "Mira Okafor owns the bakery and signs every order above 500.",
        "tags": ["people"],
        "entities": [MIRA],
    },
    {
        "content": "Tomas Lind works with the deck oven and knows its moods.",
        "tags": ["people", "kitchen"],
        "entities": [TOMAS, OVEN],
        "relationships": [_edge(TOMAS, "operates", OVEN)],
    },
    {
        "content": "Ilse Brandt runs the web shop and answers customers' mail before ten.",
        "tags": ["people", "shop"],
        "entities": [ILSE, SHOP],
        "relationships": [_edge(ILSE, "runs", SHOP)],
    },
    {
        "content": "Hollow Mill supplies the rye and wheat flour; Mira made the contract.",
        "tags": ["suppliers"],
        "entities": [MILL, MIRA],
        "relationships": [_edge(MIRA, "buys_from", MILL)],
    },
    {
        "content": "Ilse reports to Mira, and so does Tomas.",
        "tags": ["people"],
        "entities": [ILSE, TOMAS, MIRA],
        "relationships": [_edge(ILSE, "reports_to", MIRA), _edge(TOMAS, "reports_to", MIRA)],
    },
)

MEMORIES: tuple[dict[str, Any], ...] = (
    {"content": "The bakery opens at 7 on weekdays and at 8 on Saturdays.", "tags": ["hours"]},
    {
        "content": "Answers to customers are short, friendly, and never promise a time.",
        "tags": ["tone"],
    },
    {
        "content": "The rye starter is fed at 5 in the morning and at 5 in the afternoon.",
        "tags": ["kitchen"],
    },
    {
        "content": "Nut bread is baked last, so that nothing else touches nuts.",
        "tags": ["kitchen", "allergens"],
    },
    {"content": "Refunds up to 20 need nobody's approval.", "tags": ["shop", "policy"]},
    {
        "content": "The web shop is deployed on Tuesdays, never before a holiday.",
        "tags": ["shop", "deploy"],
    },
    {
        "content": "Product photos are 1600 pixels wide, on the oak table, without text.",
        "tags": ["shop"],
    },
    {
        "content": "The accountant wants the month's receipts as one file by the third.",
        "tags": ["office"],
    },
    {
        "content": "Mira prefers the conclusion first and the numbers in a table.",
        "tags": ["tone", "people"],
    },
    {
        "content": "Croissants sell out by nine on Saturdays; bake forty more than on a weekday.",
        "tags": ["planning"],
    },
    {
        "content": "The card reader loses its connection when the mixer starts.",
        "tags": ["office", "trouble"],
    },
    {
        "content": "A wholesale customer pays within 30 days and gets ten percent off.",
        "tags": ["policy"],
    },
)

PINNED = (1, 3)

# What was believed, and what replaced it.
REPLACED: tuple[tuple[str, str, str], ...] = (
    (
        "The web shop takes orders until 18:00 for the next day.",
        "The web shop takes orders until 20:00 for the next day.",
        "Raised in spring.",
    ),
    ("The staff meeting is on Mondays.", "The staff meeting is on Wednesdays at 14:00.", "Moved."),
)

# Pairs that a person should look at.
DOUBTS: tuple[tuple[str, str, float], ...] = (
    (
        "Delivery is free from 40 upwards.",
        "Delivery is free from 60 upwards.",
        0.74,
    ),
    (
        "Hollow Mill delivers flour on Thursdays.",
        "Hollow Mill delivers flour on Fridays since the bridge was closed.",
        0.68,
    ),
)
