"""What Celery runs: ids in, one service call, safe to run twice.

Services never import this; they name a task in a job row. Autodiscovery reads this package.
"""

from memory_app.tasks.banks import enqueue_tests, purge, refresh_terms, sweep
from memory_app.tasks.imports import work_import
from memory_app.tasks.ledger import send_digests, verify_ledger
from memory_app.tasks.memories import (
    build_vector_index,
    change_in_bulk,
    check_contradictions,
    index_entities,
    index_memories,
    rebuild_vectors,
    reembed,
    renew_statistics,
    run_tests,
)

__all__ = [
    "build_vector_index",
    "change_in_bulk",
    "check_contradictions",
    "enqueue_tests",
    "index_entities",
    "index_memories",
    "purge",
    "rebuild_vectors",
    "reembed",
    "refresh_terms",
    "renew_statistics",
    "run_tests",
    "send_digests",
    "sweep",
    "verify_ledger",
    "work_import",
]
