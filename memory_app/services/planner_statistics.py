"""The database planner's statistics, renewed as soon as much was written at once.

The server's own rounds come within a minute, and until then a planner takes a full table for an
empty one. Tables are shared by all banks, so a job of one bank renews them for everybody; what has
hardly grown since the last time is left alone, so jobs of many banks cost no more than one.
"""

from __future__ import annotations

from django.db import connections

from memory_app.models import Job
from memory_app.queries.access import Access
from memory_app.queries.insertion import Pending
from memory_app.services import jobs

TASK = "renew_statistics"
# Fewer rows at once change no plan.
BIG = 1_000

# Tables below a bank that have grown by a fifth, by size: counters of changes arrive seconds late. A
# covering index answers alone only for pages that a vacuum has marked, and there it is asked about.
_OUTGROWN = """
SELECT c.relname, EXISTS (
    SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    WHERE i.indrelid = c.oid AND x.relname LIKE '%%\\_covering')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
WHERE c.relkind = 'r'
  AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'bank_id')
  AND pg_relation_size(c.oid) / current_setting('block_size')::int > 1.2 * c.relpages
ORDER BY c.relname
"""


def enqueue_after(access: Access, rows: int, *, into: Pending | None = None) -> bool:
    """Have the statistics renewed, once per bank, where `rows` written at once are many.

    Inside the transaction that writes the last of them. One query, none for few rows.
    """
    if rows < BIG or _is_waiting(access):
        return False
    jobs.enqueue(access, TASK, into=into)
    return True


def renew() -> list[str]:
    """Analyze the tables that have outgrown their statistics; which ones.

    On the owner's connection, outside of any transaction; blocks neither readers nor writers. Reads
    at most 30,000 pages of a table, and of one with a covering index what is new in it. Raises
    `OperationalError` where somebody else analyzes or indexes a table for longer than ten seconds.
    """
    connection = connections["owner"]
    with connection.cursor() as owner:
        owner.execute("SET lock_timeout = '10s'")
        owner.execute(_OUTGROWN)
        found = owner.fetchall()
        for name, covered in found:
            table = connection.ops.quote_name(name)
            if covered:
                owner.execute(f"VACUUM (ANALYZE, INDEX_CLEANUP OFF, TRUNCATE OFF) {table}")
            else:
                owner.execute(f"ANALYZE {table}")
    connection.close()
    return [str(name) for name, _ in found]


def _is_waiting(access: Access) -> bool:
    waiting = Job.objects.filter(bank_id=access.bank.id, task=TASK, failed_at=None)
    return waiting.filter(leased_until=None).exists()
