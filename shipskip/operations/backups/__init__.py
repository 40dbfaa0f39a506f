"""Backups of the database, one file each, with a manifest to check a restore against."""
