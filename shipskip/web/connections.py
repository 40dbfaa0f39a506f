"""The settings of a connection to a database of the site."""

from typing import Any

DATABASE_POOL = 8
"""Maximum connections of a process to PostgreSQL."""


POOL_WAIT_SECONDS = 10
"""How long a command waits for one of them; a server's thread waits less (serving.py)."""


def connection_settings(url: dict[str, Any]) -> dict[str, Any]:
    """Add the options that make each database safe under concurrent writers."""
    options = url.setdefault("OPTIONS", {})
    if url["ENGINE"] == "django.db.backends.sqlite3":
        # Persistent connections: opening one costs more than a page's queries.
        url["CONN_MAX_AGE"] = None
        # IMMEDIATE: writers wait at BEGIN instead of failing later. FULL: a committed vote survives
        # a power failure, but writes are half as fast as with NORMAL.
        options.update(
            transaction_mode="IMMEDIATE",
            timeout=20,
            init_command="PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        )
    else:
        from shipskip.web.postgresql.waits import RECONNECT_SECONDS, LimitedConnection

        url["ENGINE"] = "shipskip.web.postgresql"
        # Prepared statements are planned once per connection; without them a page takes a third
        # longer.
        # A connection to a server that stops at that moment can hang: try another one after two
        # seconds, psycopg's minimum.
        options.update(server_side_binding=True, prepare_threshold=2, connect_timeout=2)
        options["pool"] = {
            "min_size": 1,
            "max_size": DATABASE_POOL,
            "connection_class": LimitedConnection,
            # Two pages are rendered at once; a vote waits here only if many others are being cast.
            "timeout": POOL_WAIT_SECONDS,
            "reconnect_timeout": RECONNECT_SECONDS,
        }
    return url
