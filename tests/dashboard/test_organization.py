from __future__ import annotations

from datetime import timedelta

from allauth.mfa.models import Authenticator
from django.test import Client
from django.utils import timezone

from accounts.models import ApiKey, Organization, User
from accounts.services.api_keys import issue_key
from accounts.tenancy import acting_as
from memory_app.domain.values import parse_draft
from memory_app.models import Bank, LedgerEntry, Memory
from memory_app.services import bank_bin, ledger, memories
from tests.accounts.people import join
from tests.dashboard.conftest import Desk
from tests.factories import World


def url(world: World, path: str) -> str:
    return f"/o/{world.organization.slug}/{path}"


def secure(user: User) -> None:
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": "x"})


def client_of(user_id: str) -> Client:
    client = Client()
    user = User.objects.get(id=user_id)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_an_owner_renames_and_caps(desk: Desk) -> None:
    desk.client.post(url(desk.world, "settings/"), {"name": "Better", "daily_operation_cap": "12"})

    with acting_as(desk.world.person):
        saved = Organization.objects.get()
    assert (saved.name, saved.daily_operation_cap) == ("Better", 12)


def test_nobody_locks_itself_out_with_a_second_factor(desk: Desk) -> None:
    form = {"action": "security", "requires_mfa": "1"}

    refused = desk.client.post(url(desk.world, "settings/"), form, follow=True)

    assert "lock you out" in refused.content.decode()


def test_who_has_no_second_factor_is_led_to_one(desk: Desk) -> None:
    person = join(desk.world, "member")
    secure(desk.world.owner)
    form = {"action": "security", "requires_mfa": "1"}
    desk.client.post(url(desk.world, "settings/"), form)
    client = client_of(person.id)

    page = client.get(desk.url("memories/"))
    rest = client.get("/api/v1/banks")
    secure(User.objects.get(id=person.id))
    after = client.get(desk.url("memories/"))

    assert page.headers["Location"] == "/accounts/2fa/"
    assert (rest.status_code, rest.json()["code"]) == (403, "second_factor_required")
    assert after.status_code == 200
    assert desk.client.get(desk.url("memories/")).status_code == 200


def test_bank_settings_are_saved_and_say_what_is_fixed(desk: Desk) -> None:
    form = {"name": "Notes", "switches": "1", "review_mode": "1", "freshness_days": "30"}

    desk.client.post(desk.url("settings/"), form)
    page = desk.client.get(desk.url("settings/")).content.decode()

    with acting_as(desk.world.person):
        bank = Bank.objects.get()
    assert (bank.name, bank.review_mode, bank.freshness_days) == ("Notes", True, 30)
    assert "agents&#x27; addresses hold it" in page


def test_a_refused_setting_comes_back_with_the_reason(desk: Desk) -> None:
    answer = desk.client.post(desk.url("settings/"), {"freshness_weight": "0.9"})

    assert answer.status_code == 400
    assert "the limit is 0.5" in answer.content.decode()


def test_a_viewer_tunes_and_deletes_nothing(desk: Desk) -> None:
    client = client_of(join(desk.world, "viewer").id)

    tuned = client.post(desk.url("settings/"), {"name": "Mine"})
    deleted = client.post(desk.url("settings/delete"), {"confirm": "main"})

    assert tuned.status_code == deleted.status_code == 403


def test_a_deleted_bank_is_gone_for_everyone_and_comes_back_as_it_was(desk: Desk) -> None:
    memories.save(desk.world.caller, "main", parse_draft(content="Kept."))
    secret = issue_key(desk.world.person, agent=desk.world.agent.id).secret
    header = {"Authorization": f"Bearer {secret}"}

    wrong = desk.client.post(desk.url("settings/delete"), {"confirm": "other"}, follow=True)
    desk.client.post(desk.url("settings/delete"), {"confirm": "main"})
    gone = [
        desk.client.get(desk.url("memories/")).status_code,
        Client().get("/api/v1/banks/main/profile", headers=header).status_code,
    ]
    shelf = desk.client.get(url(desk.world, "banks/"))
    desk.client.post(url(desk.world, "banks/"), {"bank": shelf.context["binned"][0].id})

    assert "confirm must repeat" in wrong.content.decode()
    assert gone == [404, 404]
    assert "Kept." in desk.client.get(desk.url("memories/")).content.decode()
    assert Client().get("/api/v1/banks/main/profile", headers=header).status_code == 200
    assert ledger.verify(desk.world.person, "main").valid


def test_after_thirty_days_only_the_chain_is_left(desk: Desk) -> None:
    world = desk.world
    memories.save(world.caller, "main", parse_draft(content="Goes."))
    bank_bin.bin_bank(world.person, "main", confirm="main")
    early = bank_bin.purge_bank(world.person, world.bank.id)
    with acting_as(world.person):
        Bank.objects.update(deleted_at=timezone.now() - timedelta(days=31))

    bank_bin.purge_bank(world.person, world.bank.id)

    with acting_as(world.person):
        left = Memory.objects.filter(bank_id=world.bank.id).count()
        entries = LedgerEntry.objects.filter(bank_id=world.bank.id).count()
        bank = Bank.objects.get()
    assert (early, left) == (0, 0)
    assert entries == bank.head_watermark
    assert bank.purged_at is not None
    assert bank_bin.list_binned(world.person).items == ()


def test_a_strangers_bank_is_not_restored(desk: Desk, stranger: World) -> None:
    bank_bin.bin_bank(stranger.person, "main", confirm="main")

    answer = desk.client.post(url(desk.world, "banks/"), {"bank": stranger.bank.id})

    assert answer.status_code == 404


def test_a_deletion_stops_every_key_and_can_be_taken_back(desk: Desk) -> None:
    world = desk.world
    issue_key(world.person, agent=world.agent.id)
    here = url(world, "settings/")

    desk.client.post(here, {"action": "delete", "confirm": world.organization.slug})
    with acting_as(world.person):
        revoked = ApiKey.objects.filter(revoked_at=None).count()
    said = desk.client.get(here).content.decode()
    desk.client.post(here, {"action": "keep"})

    assert revoked == 0
    assert "is being deleted" in said
    assert "is being deleted" not in desk.client.get(here).content.decode()


def test_the_access_log_names_no_stranger(desk: Desk, stranger: World) -> None:
    issue_key(stranger.person, agent=stranger.agent.id)

    log = desk.client.get(url(desk.world, "access-log/"))

    assert log.context["events"] == ()
