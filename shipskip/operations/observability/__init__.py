"""What an operator sees of the running site: health, logs, numbers, faults."""
