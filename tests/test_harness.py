from django.db import connection

from accounts.tenancy import acting_as
from memory_app.models import Bank
from tests.factories import World


def test_tests_run_with_the_role_that_owns_nothing(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, count(*) FROM banks GROUP BY 1")
        rows = cursor.fetchall()

    assert rows == []


def test_a_world_sees_its_own_bank_only(world: World, stranger: World) -> None:
    with acting_as(world.caller):
        banks = list(Bank.objects.all())

    assert banks == [world.bank]
