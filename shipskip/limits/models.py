"""The salts of days, and counts of acts."""

from django.db import models


class DailySalt(models.Model):
    """The random salt of one day's hashes; without it they cannot be traced back."""

    day = models.DateField(primary_key=True)
    salt = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return f"{self.day}"


class ActCount(models.Model):
    """How many acts of one kind and key were counted in the window that ends at `until`.

    `key` is a hash of the visitor, network or mailbox that acts. Deleted after the window.
    """

    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=32)
    until = models.DateTimeField(db_index=True)
    acts = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "key", "until"], name="act_count_of_window")
        ]

    def __str__(self) -> str:
        return f"{self.acts} {self.kind} until {self.until}"
