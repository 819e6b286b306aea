"""D10: only what a sentence says in so many words."""

import pytest

from memory_app.domain.causes import has_connective, stated_cause


@pytest.mark.parametrize(
    ("text", "source", "target", "hint"),
    [
        ("The outage was caused by the config push.", "outage", "config push", "caused_by"),
        ("The outage was caused by the config push.", "config push", "outage", "led_to"),
        ("The storm led to the closure.", "storm", "closure", "led_to"),
        ("The storm led to the closure.", "closure", "storm", "caused_by"),
        ("Because of the storm, the harbour closed.", "harbour", "storm", "caused_by"),
        ("The harbour closed because of the storm.", "storm", "harbour", "led_to"),
        ("The export was made possible by Redis.", "export", "Redis", "enabled_by"),
        ("Redis enables the export.", "export", "Redis", "enabled_by"),
        ("The release is blocked by ticket 12.", "release", "ticket 12", "blocked_by"),
        ("Report A contradicts report B.", "report B", "Report A", "contradicts"),
        ("It rained. The storm led to the closure. All went home.", "storm", "closure", "led_to"),
        ("Acme Cloud failed due to Acme.", "Acme Cloud", "Acme", "caused_by"),
    ],
)
def test_a_stated_cause_is_read_with_its_direction(text, source, target, hint):
    found = stated_cause(text, source, target)

    assert found is not None
    assert found.hint == hint
    assert found.quote in text


@pytest.mark.parametrize(
    ("text", "source", "target"),
    [
        ("The outage followed the config push.", "outage", "config push"),
        ("The outage was not caused by the config push.", "outage", "config push"),
        ("The outage wasn't caused by the config push.", "outage", "config push"),
        ("The outage may have been caused by the config push.", "outage", "config push"),
        ("Was the outage caused by the config push?", "outage", "config push"),
        ("The outage and the config push led to a review.", "outage", "config push"),
        ("The storm led to fear. The closure came later.", "storm", "closure"),
        ("The storm led to the storm and the closure.", "storm", "closure"),
        ("A led to B, and B led to C.", "A", "B"),
        ("Redis enables the export.", "Redis", "export"),
        ("", "A", "B"),
    ],
)
def test_what_is_not_plainly_stated_is_left_alone(text, source, target):
    assert stated_cause(text, source, target) is None


def test_one_name_for_both_ends_states_nothing():
    assert stated_cause("The storm led to the storm.", "storm", "storm") is None


def test_text_without_a_connective_is_not_read():
    assert not has_connective("The outage followed the config push.")
    assert has_connective("It fell because it rained.")
