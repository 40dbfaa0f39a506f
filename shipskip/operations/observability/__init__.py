"""Observability of the running site: health checks, logs, metrics, error reports."""
