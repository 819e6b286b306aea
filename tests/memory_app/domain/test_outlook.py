"""What the wording of two statements tells before any model is asked."""

from __future__ import annotations

import pytest

from memory_app.domain.statements import read_statement
from memory_app.domain.statements.foreign import changes_abroad
from memory_app.domain.statements.frames import read_frame
from memory_app.domain.statements.outlook import outlook


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Chain memo iron about lab procedures.", "Chain memo zinc about lab procedures.", "apart"),
        ("Team otter 0 in Berlin.", "Team otter 1 in Berlin.", "apart"),
        ("The iOS client retries.", "The Android client retries.", "apart"),
        ("In staging, the limit is 5.", "In production, the limit is 9.", "apart"),
        ("The user likes sushi.", "The user likes ramen.", "apart"),
        ("Kit owns a Volvo.", "Kit's brother sold the Volvo.", "apart"),
        ("Log lines are JSON.", "Log lines are JSON and carry a trace id.", "added"),
        ("The tent is in the small blue box.", "The tent is in the box.", "apart"),
        ("We ship to Peru, Chile and Iceland.", "We ship to Peru and Chile.", "unsupported"),
        ("The importer reads CSV.", "The importer also reads Parquet.", "added"),
        ("Sven is head of sales.", "Sven would like to be head of research.", "unasserted"),
        ("We deploy with Jenkins.", "We considered deploying with Buildkite.", "unasserted"),
        ("The session timeout is 30 s.", "Should the session timeout be 60 s?", "unasserted"),
        ("Our office is in Berlin.", "Our office is in Madrid.", "restated"),
        ("The package manager is poetry.", "The package manager is uv.", "restated"),
        ("The rate limit is 100 a minute.", "The rate limit is 300 a minute.", "restated"),
        ("We use Salesforce as our CRM.", "We use HubSpot as our CRM.", "restated"),
        ("The user prefers tabs over spaces.", "The user prefers spaces over tabs.", "restated"),
        ("The canteen is closed.", "The canteen has reopened.", "announced"),
        ("PR 918 is waiting for review.", "PR 918 was merged.", "announced"),
        ("The repo uses Yarn.", "Yarn was dropped in favour of pnpm.", "announced"),
        ("Hanna works as a midwife.", "Hanna retired last month.", "announced"),
        ("Das Büro ist in Berlin.", "Das Büro ist nach Hamburg umgezogen.", "announced"),
        ("Anna lebt in Köln.", "Anna ist von Köln nach Bonn gezogen.", "announced"),
        ("Anna lebt in Köln.", "Anna hat an einer Lotterie teilgenommen.", "apart"),
        ("Pedro vive en Sevilla.", "Pedro se ha mudado de Sevilla a Cádiz.", "announced"),
        ("Lucie habite à Lyon.", "Lucie a emménagé à Nantes.", "announced"),
    ],
)
def test_the_wording_tells_how_two_statements_stand(old: str, new: str, found: str) -> None:
    """E5"""
    assert outlook(old, new) == found


def test_the_end_of_one_thing_is_no_news_of_another() -> None:
    """E5"""
    assert outlook("The API supports JSON.", "The API no longer supports XML.") != "announced"
    assert outlook("The SDK supports Kotlin.", "The SDK now supports Swift.") != "announced"


@pytest.mark.parametrize(
    ("text", "lead", "verb"),
    [
        ("The orders service writes logs.", "the orders service", "writes"),
        ("The minimum supported version is 15.", "the minimum supported version", "is"),
        ("Unit tests must pass.", "unit tests", "must"),
        ("Use two spaces.", "", "use"),
        ("If it rains, we stay.", "if it rains we", "stay"),
        ("The user's flight leaves at 10:40.", "the user flight", "leaves"),
    ],
)
def test_the_verb_is_found_where_nouns_look_like_verbs(text: str, lead: str, verb: str) -> None:
    frame = read_frame(read_statement(text))

    assert " ".join(token.key for token in frame.lead) == lead
    assert frame.verb is not None
    assert frame.verb.key == verb


def test_a_title_has_no_verb() -> None:
    assert read_frame(read_statement("Meeting about the harbour.")).verb is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Frau Adler leitet den Einkauf.", "Frau Adler leitet den Einkauf nicht mehr."),
        ("Le bureau est à Paris.", "Le bureau a déménagé à Lyon."),
        ("Claire dirige l'équipe.", "Claire ne dirige plus l'équipe."),
        ("Ana trabaja en Telefónica.", "Ana ya no trabaja en Telefónica."),
        ("データベースはMySQLです。", "データベースは現在PostgreSQLです。"),
    ],
)
def test_a_change_is_read_in_other_languages(old: str, new: str) -> None:
    """E5"""
    assert changes_abroad(old, new)


def test_an_english_word_is_no_foreign_one() -> None:
    assert not changes_abroad("The change is small.", "The change report is in the ora folder.")
    assert not changes_abroad("Der Nutzer mag Tee.", "Der Nutzer mag Kaffee.")
