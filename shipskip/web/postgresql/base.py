"""The database backend; Django looks for it in a module of this name."""

from typing import Any

from django.db.backends.postgresql import base

from shipskip.web.postgresql import waits


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, except that no request waits for a connection to a silent PostgreSQL."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection from the pool. Raises NoAnswerError in a request if PostgreSQL is silent.
        The look-up waits no longer than the pool tries to connect.
        """
        waits.before_connecting()
        if self.pool and waits.current_limit.get() is waits.WaitLimit.LOOK_UP:
            # Until it succeeds, requests are refused, also after PostgreSQL is back.
            self.pool.open()
            self.pool.putconn(self.pool.getconn(timeout=waits.RECONNECT_SECONDS))
        return super().get_new_connection(conn_params)
