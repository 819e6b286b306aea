"""The wrapper that Django looks for in a database engine."""

from __future__ import annotations

import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    """Asks the socket, not the server, whether a pooled connection still stands.

    Psycopg's own check sends an empty query each time, a tenth of a small request. A server that
    restarts or ends a session closes the socket, which makes it readable; only then is one sent.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        while self.pool and not _stands(connection):
            connection.close()
            self.pool.putconn(connection)
            connection = super().get_new_connection(conn_params)
        return connection


def _stands(connection: psycopg.Connection[Any]) -> bool:
    """Whether nothing waits to be read, or the server still answers."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if not poll.poll(0):
        return True
    try:
        ConnectionPool.check_connection(connection)
    except psycopg.Error:
        return False
    return True
