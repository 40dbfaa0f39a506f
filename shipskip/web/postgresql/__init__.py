"""Django's PostgreSQL backend with time-outs: the site still answers while PostgreSQL hangs."""
