"""Django's PostgreSQL backend, for a site that goes on while its PostgreSQL hangs."""
