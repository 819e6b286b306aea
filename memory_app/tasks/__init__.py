"""What Celery runs: ids in, one service call, safe to run twice.

Services never import this; they name a task in a job row. Autodiscovery reads this package.
"""

from memory_app.tasks.banks import purge, refresh_terms, sweep
from memory_app.tasks.memories import (
    build_vector_index,
    check_contradictions,
    index_entities,
    index_memories,
    rebuild_vectors,
)

__all__ = [
    "build_vector_index",
    "check_contradictions",
    "index_entities",
    "index_memories",
    "purge",
    "rebuild_vectors",
    "refresh_terms",
    "sweep",
]
