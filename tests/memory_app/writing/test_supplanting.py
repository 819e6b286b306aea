"""A later value of one attribute retires the earlier one; whatever may stand beside it doesn't."""

from __future__ import annotations

import pytest

from memory_app.writing.changes import ends, may_end


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The entry point is main.py.", "The entry point is now app.py."),
        ("The CFO is Dana Whitfield.", "The CFO is now Omar Haddad."),
        ("Kit lives in Ayr.", "Kit lives in Oban now."),
        ("The app is hosted on Heroku.", "The app is hosted on Fly.io now."),
        ("The stand-up is at 9:30.", "From next week the stand-up is at 10:00."),
        ("The user's car is a Skoda.", "The user's car is now a Kia."),
        ("The repository is on GitLab.", "The repository moved to GitHub."),
        ("The annual meeting is in Gent.", "The annual meeting has been moved to Antwerp."),
        ("The table is called users.", "The table was renamed to accounts."),
        ("The service is written in Ruby.", "The service has been rewritten in Go."),
        ("The warehouse is in Venlo.", "We relocated the warehouse to Tilburg."),
        ("The database is MySQL.", "We migrated the database from MySQL to PostgreSQL."),
        ("The travel budget is 20,000 euros.", "The travel budget was cut to 12,000 euros."),
        ("Issue 482 is open.", "Issue 482 is closed."),
        ("The feature flag dark_mode is off.", "The feature flag dark_mode is on."),
    ],
)
def test_another_value_with_a_word_of_change_ends_the_old_one(old: str, new: str) -> None:
    """E5"""
    assert ends(old, new)
    assert may_end(new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Somebody or something else.
        ("Issue 482 is open.", "Issue 483 is closed."),
        ("The lamp in the hall is on.", "The lamp in the attic is off."),
        ("The staging flag is on.", "The production flag is off."),
        ("Team otter 0 is in Berlin.", "Team otter 1 is now in Madrid."),
        ("The archive is in Hull.", "We moved part of the archive from Hull to Leeds."),
        ("The wiki is on Confluence.", "A copy of the wiki moved to Notion."),
        ("Her son is at school.", "Her son is now in hospital."),
        # Some of several.
        ("Some gates are open.", "Some gates are closed."),
        ("2 gates are open.", "2 gates are closed."),
        ("One of our databases is MySQL.", "One of our databases is now Postgres."),
        ("Our offices are in Leeds.", "Our office is now in York."),
        ("The office is in Berlin and Madrid.", "The office is now in Rome."),
        # Both at a time.
        ("Mia is in the chess club.", "Mia is now in the ski club."),
        ("Kit plays the piano.", "Kit now plays the flute."),
        ("The app runs on iOS.", "The app now runs on Android."),
        ("The product is sold in France.", "The product is now sold in Spain."),
        ("Support is available in French.", "Support is now available in German."),
        ("The project uses npm.", "The project now uses Docker."),
        ("Leo is a Scout.", "Leo is now a Ranger."),
        # Of another kind.
        ("The team is in Berlin.", "The team moved to Slack."),
        ("The meeting is in room Curie.", "The meeting was moved to Friday."),
        ("The limit is 5 for guests.", "The limit is now 9 for members."),
        # Not said to be so.
        ("The wiki is on Confluence.", "The wiki may be moved to Notion."),
        ("The wiki is on Confluence.", "The wiki was not moved to Notion."),
        ("The branch is master.", "Bob said the branch is now main."),
        ("The door was open.", "The door is closed."),
    ],
)
def test_what_may_hold_beside_it_ends_nothing(old: str, new: str) -> None:
    """E5"""
    assert not ends(old, new)
