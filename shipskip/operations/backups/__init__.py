"""Backups of the database in one file each, with what is needed to check what was restored."""
