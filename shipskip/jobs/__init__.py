"""Periodic jobs: when each is due, its lock, and a record of its last runs."""
