"""E5: a memory is retired without a human only by a statement that says that its state is over."""

import time

import pytest

from memory_app.domain.statements.outlook import asserted
from memory_app.domain.statements.reading import read_statement
from memory_app.domain.statements.spelling import plain
from memory_app.writing import changes, supplanting
from memory_app.writing.changes import Change, ends, explicit_change
from memory_app.writing.supplanting import tells_change
from tests.memory_app.writing.stated import stated_texts

ENDED = [
    ("Ravi is assigned to project Falcon.", "Ravi moved from project Falcon to project Heron."),
    ("Kit lives in Ayr.", "Kit moved from Ayr to Oban."),
    (
        "The stack is FastAPI, PostgreSQL and Redis.",
        "The stack has moved from PostgreSQL to MySQL.",
    ),
    (
        "Tomas works as a data analyst at Northwind.",
        "Tomas has just started as a data analyst at Contoso.",
    ),
    ("Anna works at Acme.", "Anna left Acme and joined Globex."),
    ("Anna works at Acme.", "Anna no longer works at Acme."),
    ("The team uses Slack.", "The team switched from Slack to Teams."),
    ("We use Jenkins for CI.", "We replaced Jenkins with GitHub Actions."),
    ("Kit lives in Ayr.", "Kit now lives in Oban."),
    ("The user lives in Ayr.", "User moved to Oban last week."),
    ("Priya reports to Bruno.", "Priya now reports to Clara."),
    ("The service runs on Heroku.", "The service has been migrated from Heroku to Fly.io."),
    ("User drives a Volvo.", "User sold the Volvo."),
    ("User pays for Netflix.", "User cancelled Netflix."),
    ("The launch is scheduled for 3 May.", "The launch moved from 3 May to 10 May."),
    ("The default branch is master.", "The default branch was renamed from master to main."),
    ("User prefers Vim.", "User has switched from Vim to Neovim."),
    ("Ravi works on project Falcon.", "Ravi left project Falcon for project Heron."),
    ("We use npm.", "We now use pnpm instead of npm."),
    ("Olga is the team lead.", "Olga stepped down as team lead."),
    ("Backups are stored in S3.", "Backups have moved from S3 to Backblaze."),
    ("The office is in Leeds.", "The office relocated from Leeds to York."),
    ("Anna's manager is Bob.", "Anna's manager changed from Bob to Carol."),
    ("Mia is on the platform team.", "Mia moved from the platform team to the data team."),
    ("Prices include shipping.", "Prices no longer include shipping."),
    ("The user takes sugar in coffee.", "User no longer takes sugar in coffee."),
    ("Sofia eats meat.", "Sofia stopped eating meat."),
    ("The timeout is 5 seconds.", "The timeout was raised to 20 seconds."),
    ("The timeout is 5 seconds.", "The timeout was raised from 5 to 20 seconds."),
    ("The review is on Monday.", "The review was moved to Thursday."),
    ("The shop opens at 8.", "The shop now opens at 9:30."),
    ("Milo is 9 years old.", "Milo is now 10 years old."),
    ("We support Internet Explorer.", "We no longer support Internet Explorer."),
    ("The launch is on 3 May.", "The launch was postponed to 17 May."),
]

STANDING = [
    ("Kit's sister lives in Ayr.", "Kit moved from Ayr to Oban."),
    ("Kit was born in Ayr.", "Kit moved from Ayr to Oban."),
    ("Kit likes Ayr.", "Kit moved from Ayr to Oban."),
    ("Ravi is assigned to project Falcon.", "Kit moved from project Falcon to project Heron."),
    ("Kit lives in Ayr.", "Kit might move from Ayr to Oban."),
    ("Kit lives in Ayr.", "Kit plans to move from Ayr to Oban."),
    ("Kit lives in Ayr.", "Kit's sister moved from Ayr to Oban."),
    ("Kit lives in Ayr.", "Kit moved from Falkirk to Ayr."),
    (
        "Use connection pooling for the report worker.",
        "Do not forget to size the connection pooling for the report worker.",
    ),
    ("User likes sushi.", "User now likes pizza."),
    ("User speaks French.", "User started learning Spanish."),
    ("Kit lives in Ayr and works as a baker.", "Kit moved from Ayr to Oban."),
    ("The web service runs on Heroku.", "The billing service moved from Heroku to Fly.io."),
    ("Anna works at Acme.", "Anna now works from home."),
    ("Anna works at Acme.", "Anna no longer works on Fridays."),
    ("Anna reports to Bob.", "Bob now reports to Anna."),
    ("The team uses Slack.", "The team used Slack from 2019 to 2022."),
    ("The train goes from Leeds to York.", "The train goes from York to Leeds."),
    ("Kit has lived in Ayr since 2019.", "Kit likes Oban instead of Ayr."),
    ("Ravi is assigned to project Falcon.", "Ravi is now also assigned to project Heron."),
    ("Anna works at Acme.", "Anna has just started a podcast."),
    ("The library is open on Mondays.", "The library is now open on Sundays too."),
    ("Marta lives in Porto.", "Marta now lives in Porto with her sister."),
    (
        "The stack is FastAPI, PostgreSQL and Redis.",
        "The stack has not moved from PostgreSQL to MySQL.",
    ),
    ("Anna visited Acme.", "Anna left Acme and joined Globex."),
    ("Postgres is used for billing.", "Analytics moved from Postgres to ClickHouse."),
    ("Ravi is assigned to project Falcon.", "Project Falcon moved from Leeds to York."),
    ("The report moved from Anna to Bob.", "The report moved from Bob to Carol."),
    ("Bob works at Acme.", "Anna left Acme and joined Globex."),
    ("The backup copies data from S3 to Glacier.", "The data moved from S3 to Glacier."),
    ("Anna works at Acme as a designer.", "Anna no longer works at Acme on Mondays."),
    ("The library is open on Mondays.", "The library is now also open on Sundays."),
    ("Anna reports to Bob.", "Bob no longer reports to Anna."),
    ("The training is in room Berlin.", "The release was moved from room Berlin to room Oslo."),
    ("The meeting now starts at 18:00.", "The start of the meeting was moved from 7:00 to 18:00."),
    ("Server A has 8 GB of memory.", "Server B now has 16 GB of memory."),
    ("We bought 5 chairs.", "We have now bought 6 chairs."),
    ("The timeout is 5 seconds.", "The timeout was raised from 10 to 20 seconds."),
    ("The read timeout is 5 seconds.", "The write timeout was raised to 20 seconds."),
    ("The timeout is 5 seconds.", "The timeout was raised to 5 seconds."),
    ("He eats meat.", "She no longer eats meat."),
    ("The limit is 5 MB for images.", "The limit is now 20 MB for videos."),
    ("Platform is led by Theo.", "Theo was succeeded by Goran as head of security."),
    ("Kit lives in Ayr.", "Mia moved from Ayr to Oban."),
    ("Kit works on Mondays.", "Kit no longer works on Fridays."),
    ("User likes tea.", "User no longer likes coffee."),
    ("The Oslo office has 20 desks.", "The Bergen office now has 30 desks."),
    ("Ravi moved from Falcon to Heron.", "Ravi moved from Heron to Lynx."),
    ("Version 1.2 of the API is deprecated.", "Version 1.3 of the API is now deprecated."),
    ("The report for May is due on 3 June.", "The report for June is now due on 3 July."),
    ("Sales rose by 5%.", "Sales rose by 8%."),
]


@pytest.mark.parametrize(("old", "new"), ENDED)
def test_state_named_as_left_is_over(old, new):
    """E5: bug cases 006, 010 and 012 and others of their kind."""
    assert ends(old, new)


@pytest.mark.parametrize(("old", "new"), STANDING)
def test_other_subject_relation_or_clause_still_stands(old, new):
    """E5: bug case 008 and others of its kind."""
    assert not ends(old, new)


@pytest.mark.parametrize(
    ("text", "subject", "before", "after"),
    [
        ("Kit moved from Ayr to Oban.", "Kit", "Ayr", "Oban"),
        ("Ravi no longer works on Falcon.", "Ravi", "works on Falcon", None),
        ("We replaced Jenkins with Buildkite.", "We", "Jenkins", "Buildkite"),
        ("Anna left Acme and joined Globex.", "Anna", "Acme", "Globex"),
        ("Since May, Bruno uses Zulip instead of Slack.", "Bruno", "Slack", "uses Zulip"),
        (
            "Tomas has just started as an analyst at Contoso.",
            "Tomas",
            None,
            "as an analyst at Contoso",
        ),
        ("Kit now lives in Oban.", "Kit", None, "lives in Oban"),
    ],
)
def test_change_is_read_with_both_its_ends(text, subject, before, after):
    assert explicit_change(text) == Change(subject=subject, before=before, after=after)


@pytest.mark.parametrize(
    "text",
    [
        "Kit lives in Ayr.",
        "Kit plans to move from Ayr to Oban.",
        "The team might switch from Slack to Zulip.",
        "Do not forget to size the pool.",
        "",
    ],
)
def test_state_plan_or_wish_announces_no_change(text):
    assert explicit_change(text) is None


@pytest.mark.parametrize("part", ["a ", "is not ", "now ", "moved from to ", "a replaced "])
def test_hostile_text_is_read_in_no_long_time(part):
    started = time.process_time()

    explicit_change(part * (400 // len(part)))

    assert time.process_time() - started < 0.5


class _Everything(frozenset[str]):
    def isdisjoint(self, _: object) -> bool:
        return False


def test_texts_spared_the_forms_would_match_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*stated_texts(), *(text for pair in ENDED + STANDING for text in pair)]
    quick = [explicit_change(text) for text in texts]
    monkeypatch.setattr(changes, "_MARKS", _Everything())

    assert [explicit_change.__wrapped__(text) for text in texts] == quick


def test_texts_whose_end_is_not_read_state_nothing_there() -> None:
    texts = [text for text in stated_texts() if asserted(plain(text)) and not tells_change(text)]

    assert [text for text in texts if supplanting._state(read_statement(plain(text)))] == []
