from __future__ import annotations

import pytest

from memory_app.consolidation.pairing import BAR, Candidate, Surroundings, pair, pairings
from memory_app.domain.names import name_key

# Labelled by hand: (first name, second name, the type of both, whether they are one thing).
ONE = [
    ("한빛은행", "한빛 은행", "bank"),
    ("New Castle", "Newcastle", "place"),
    ("O'Shea", "Oshea", "person"),
    ("Perez, Ana", "Ana Perez", "person"),
    ("Dr. Ana Perez", "Ana Perez", "person"),
    ("Acme GmbH", "Acme", "company"),
    ("Globex Corp.", "Globex Corporation", "company"),
    ("José Luis Gómez", "Jose Luis Gomez", "person"),
    ("Müller Bau", "Mueller Bau", "company"),
    ("Kubernetes cluster", "Kubernets cluster", "system"),
    ("Continuous Integration Server", "CIS", "system"),
    ("Bank of Northern Finland", "BNF", "bank"),
    ("billing-service", "billing service", "service"),
    ("BH-7", "BH 7", "part"),
    ("user_id", "user id", "field"),
    ("The Harbour House", "Harbour House", "place"),
    ("PostgreSQL databse", "PostgreSQL database", "system"),
    ("data ware-house", "data warehouse", "system"),
    ("e-mail gateway", "email gateway", "service"),
    ("Ladoga Tours Ltd", "Ladoga Tours", "company"),
]
TWO = [
    ("BH-7", "BH-9", "part"),
    ("Contract draft", "Contract final", "document"),
    ("이지원", "이지훈", "person"),
    ("C", "C++", "language"),
    ("C#", "C++", "language"),
    ("Invoice 2025-11", "Invoice 2025-12", "document"),
    ("Ana Perez", "Ana Gomez", "person"),
    ("Jonas Berg", "Jones Berg", "person"),
    ("Server North", "Server South", "system"),
    ("Release 1.2", "Release 12", "release"),
    ("billing service", "billing service database", "system"),
    ("Ana", "Ana Perez", "person"),
    ("test database", "prod database", "system"),
    ("Marianne Holt", "Marianna Holt", "person"),
    ("IT", "Information", "team"),
    ("red team", "blue team", "team"),
    ("report", "report draft", "document"),
    ("Ladoga", "Ладога", "place"),
    ("IPv4 gateway", "IPv6 gateway", "system"),
    ("spring plan", "summer plan", "document"),
    ("input queue", "output queue", "system"),
    ("Team A", "Team B", "team"),
    ("Acme GmbH", "Acme Corp.", "company"),
]


def proposed(first: str, second: str, kind: str = "") -> bool:
    names = [("ent_1", first), ("ent_2", second)]
    candidates = [Candidate(id=one, key=name_key(name), type=kind) for one, name in names]
    return bool(pairings(candidates, Surroundings()))


@pytest.mark.parametrize(("first", "second", "kind"), ONE)
def test_names_of_one_thing_are_proposed(first: str, second: str, kind: str) -> None:
    """A15, cases 022 and 024"""
    assert proposed(first, second, kind)


@pytest.mark.parametrize(("first", "second", "kind"), TWO)
def test_names_of_two_things_are_not(first: str, second: str, kind: str) -> None:
    """A15, cases 022 and 024: BH-7 and BH-9, draft and final, two people with like names."""
    assert not proposed(first, second, kind)


def test_precision_at_the_default_bar_among_all_names_together() -> None:
    """A15: at least 0.9 over every pair that the labelled names could make."""
    spellings = sorted({(name_key(name), kind) for a, b, kind in [*ONE, *TWO] for name in (a, b)})
    candidates = [
        Candidate(id=f"ent_{number:03}", key=key, type=kind)
        for number, (key, kind) in enumerate(spellings)
    ]
    keys = {one.id: one.key for one in candidates}
    right = {pair(name_key(a), name_key(b)) for a, b, _ in ONE}

    found = [
        pair(keys[one.canonical], keys[one.variant]) for one in pairings(candidates, Surroundings())
    ]

    assert len(found) >= len(ONE) - 2
    assert sum(one in right for one in found) / len(found) >= 0.9


def test_part_of_a_name_needs_support_from_what_is_around() -> None:
    """A15"""
    ana = Candidate(id="ent_1", key="ana", type="person", degree=3)
    full = Candidate(id="ent_2", key="ana perez", type="person", degree=3)
    same = frozenset(("ent_5", "ent_6", "ent_7"))
    around = Surroundings(
        neighbours={"ent_1": same, "ent_2": same}, meanings={("ent_1", "ent_2"): 0.93}
    )

    [found] = pairings([ana, full], around)

    assert found.confidence >= BAR
    assert found.evidence["shared_neighbours"] == 3
    assert found.evidence["meaning"] == 0.93
    assert found.evidence["name"] == "part of the name"


def test_like_descriptions_of_two_numbered_things_make_no_pair() -> None:
    """A15"""
    same = frozenset(("ent_5", "ent_6", "ent_7"))
    around = Surroundings(
        neighbours={"ent_1": same, "ent_2": same}, meanings={("ent_1", "ent_2"): 0.999}
    )
    candidates = [Candidate(id="ent_1", key="bh-7"), Candidate(id="ent_2", key="bh-9")]

    assert pairings(candidates, around) == []


def test_two_names_with_one_description_and_the_same_neighbours_are_a_pair() -> None:
    """A15"""
    same = frozenset(("ent_5", "ent_6", "ent_7"))
    around = Surroundings(
        neighbours={"ent_1": same, "ent_2": same}, meanings={("ent_1", "ent_2"): 0.97}
    )
    candidates = [
        Candidate(id="ent_1", key="kestrel", degree=1),
        Candidate(id="ent_2", key="the invoicing team", degree=4),
    ]

    [found] = pairings(candidates, around)

    assert (found.canonical, found.variant) == ("ent_2", "ent_1")


def test_entities_that_relate_to_each_other_are_two_unless_the_relation_says_one() -> None:
    """A15"""
    candidates = [Candidate(id="ent_1", key="new castle"), Candidate(id="ent_2", key="newcastle")]
    near = Surroundings(relations={("ent_1", "ent_2"): frozenset(("near",))})
    same = Surroundings(relations={("ent_1", "ent_2"): frozenset(("also known as",))})

    assert pairings(candidates, near) == []
    assert [one.confidence for one in pairings(candidates, same)] == [0.9]


def test_initials_that_several_names_share_prove_none_of_them() -> None:
    """A15"""
    names = ["cis", "continuous integration server", "central island school"]
    candidates = [Candidate(id=f"ent_{n}", key=key) for n, key in enumerate(names)]

    assert pairings(candidates, Surroundings()) == []
