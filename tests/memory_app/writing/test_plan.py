"""What becomes of a new statement and of those that are like it."""

from __future__ import annotations

from memory_app.providers.judging import Verdict
from memory_app.writing.plan import Bars, Candidate, make_plan

BARS = Bars(duplicate=0.95, related=0.8, verdict=0.6, acting=0.85)
SURE = Verdict(duplicate=0.03, supersedes=0.9, unrelated=0.07)
TEXT = "The pump in the harbour needs grease."


def candidates(*texts: str) -> list[Candidate]:
    return [
        Candidate(memory_id=f"mem_{number}", text=text, cosine=0.9)
        for number, text in enumerate(texts)
    ]


def test_a_sure_verdict_about_one_memory_is_carried_out() -> None:
    """E5"""
    plan = make_plan(TEXT, candidates("The pump in the harbour needs oil."), {"mem_0": SURE}, BARS)

    assert plan.retire == ("mem_0",)
    assert plan.queue == ()


def test_a_statement_that_would_outdate_several_is_a_persons_to_decide() -> None:
    """E5: three of a series are no three states of one thing."""
    near = candidates("The pump in the harbour needs oil.", "The pump in the harbour needs paint.")

    plan = make_plan(TEXT, near, {"mem_0": SURE, "mem_1": SURE}, BARS)

    assert plan.retire == ()
    assert plan.reasons == {}
    assert [(one.memory_id, one.kind, one.confidence) for one in plan.queue] == [
        ("mem_0", "contradiction", 0.9),
        ("mem_1", "contradiction", 0.9),
    ]


def test_what_a_statement_says_itself_to_be_over_goes_however_many_they_are() -> None:
    """E5"""
    near = candidates("Ravi is assigned to project Falcon.", "Ravi works on project Falcon.")

    plan = make_plan("Ravi moved from project Falcon to project Heron.", near, {}, BARS)

    assert "mem_0" in plan.retire
    assert plan.queue == ()
