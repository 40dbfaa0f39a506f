"""The text that an editor typed into a form and has not saved."""

from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import models

MAX_AGE = timedelta(days=30)
"""How long an unsaved text is stored."""


class UnsavedTextQuerySet(models.QuerySet["UnsavedText"]):
    """Queries on unsaved texts."""

    def at(self, path: str, editor_id: int | None) -> Self:
        """The text that one editor typed into the form at `path`."""
        return self.filter(editor_id=editor_id, path=path)


class UnsavedText(models.Model):
    """The fields of one form as one editor typed them; shown to that editor only."""

    editor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=200, help_text="Of the form's page")
    form = models.TextField(help_text="Its fields as JSON")
    typed_at = models.DateTimeField(db_index=True)

    objects = UnsavedTextQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["editor", "path"], name="one_unsaved_text_of_a_form")
        ]

    def __str__(self) -> str:
        return f"{self.editor_id} at {self.path}"


def delete_old_texts(now: datetime) -> int:
    """Delete texts that are too old; return how many."""
    return UnsavedText.objects.filter(typed_at__lte=now - MAX_AGE).delete()[0]
