"""The content version: one number that rises with every editorial change."""

from django.db import models


class ContentVersion(models.Model):
    """One row, whose number rises with every editorial change.

    Database triggers raise it (`index_triggers.py`), whatever writes the rows. A number is never
    used twice, not even after a restore of an older backup: it is at least the milliseconds
    since 1970.
    """

    number = models.BigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.number}"
