"""An app with a migration that has to wait for a lock."""
