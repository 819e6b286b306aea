from __future__ import annotations

import pytest

from memory_app.domain.notation import RepeatedName, parse_notation


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"a": 1, "a": 2}', "a"),
        ('{"a": 1, "a": 1}', "a"),
        ('[{"b": [{"x": {"deep": 1, "y": 2, "deep": 3}}]}]', "deep"),
        (r'{"content": 1, "c\u006fntent": 2}', "content"),
        (r'{"\ud800": 1, "\ud800": 2}', "?"),
    ],
)
def test_a_name_given_twice_has_no_meaning(text: str, name: str) -> None:
    with pytest.raises(RepeatedName) as repeated:
        parse_notation(text)

    assert repeated.value.name == name


def test_the_same_name_in_two_objects_is_fine() -> None:
    assert parse_notation('[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize("text", ['{"a": NaN}', "[Infinity]", '{"a": 1,}', ""])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_notation(text)
