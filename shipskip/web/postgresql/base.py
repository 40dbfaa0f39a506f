"""The database backend; Django looks for it in a module of this name."""

from typing import Any

from django.db.backends.postgresql import base

from shipskip.web.postgresql import waits


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, except that no request waits for a connection to a silent PostgreSQL."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection from the pool; raises NoAnswerError in a request if PostgreSQL is silent."""
        waits.before_connecting()
        return super().get_new_connection(conn_params)
