"""The content version: a number that every editorial change increases."""

from django.db import models


class ContentVersion(models.Model):
    """The only row contains a number that every editorial change increases.

    Database triggers do so (`version_triggers.py`), whichever program writes the rows. The
    number is monotonic, even after an older backup is restored: it is at least the milliseconds
    since 1970.
    """

    number = models.BigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.number}"
