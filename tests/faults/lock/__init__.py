"""An app for the drill of a migration that meets a lock."""
