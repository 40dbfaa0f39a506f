"""What an operator sees of the running site: health checks, logs, metrics, errors."""
