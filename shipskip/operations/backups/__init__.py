"""Backups of the database, one file each, with a manifest to check a restore against."""

from types import ModuleType

from django.db import connection

from shipskip.operations.backups import postgresql, sqlite


def database_tools() -> ModuleType:
    """Copy, restore and room needed, of this kind of database."""
    return postgresql if connection.vendor == "postgresql" else sqlite
