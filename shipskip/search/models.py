"""The search index, the queue of changed rows, and the synonyms that editors write."""

from typing import Any, Self

from django.core.exceptions import ValidationError
from django.db import models
from simple_history.models import HistoricalRecords

from shipskip.search.words import words
from shipskip.web.publishing import Versioned
from shipskip.web.text import line_field


class SearchKind(models.TextChoices):
    """The kinds of rows that a search can find."""

    TOOL = "tool", "Tools"
    COMPARISON = "comparison", "Comparisons"
    REVIEWER = "reviewer", "Reviewers"
    CATEGORY = "category", "Categories"
    ISSUE = "issue", "Issues"
    TAKE = "take", "Takes"


class SearchDocument(models.Model):
    """The index data of one row. The database searches `tokens`; ranking uses the other fields. All
    of it can be rebuilt from the rows.
    """

    kind = models.CharField(max_length=12, choices=SearchKind)
    object_id = models.BigIntegerField()
    public_at = models.DateTimeField(null=True)
    """When it becomes public: the latest moment of all rows that it needs; empty for a draft."""
    votes = models.PositiveIntegerField(default=0)
    score = models.FloatField(default=0)
    length = models.PositiveIntegerField(default=0)
    """The length of its name in letters."""
    due_at = models.DateTimeField(null=True, db_index=True)
    """When a scheduled take changes its score."""
    names = models.TextField()
    """Its names as words: see `row_names.py`."""
    fields = models.TextField()
    """The words of its other fields, one field per line, in the order of `fields.FIELD_WEIGHTS`."""
    tokens = models.TextField()
    """All its words, each prefixed with the letter of its field: see `queries.py`."""

    class Meta:
        db_table = "search_document"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["kind", "object_id"], name="search_document_once")
        ]
        indexes = [
            # A covering index, by which SQLite sorts candidates (`candidates.py`).
            models.Index(
                fields=["id", "kind", "public_at", "votes", "score", "length"],
                name="search_document_order",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id}"


class SearchWord(models.Model):
    """A word of the index, for corrections of mistyped words. The table is append-only, so that a
    process loads only the words after the last one it has.
    """

    word = models.CharField(max_length=40, unique=True)

    class Meta:
        db_table = "search_word"
        default_permissions = ()

    def __str__(self) -> str:
        return self.word


class SearchChange(models.Model):
    """A row that was written since it was indexed; database triggers add these."""

    kind = models.CharField(max_length=12)
    object_id = models.BigIntegerField()

    class Meta:
        db_table = "search_change"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id}"


class SynonymQuerySet(models.QuerySet["Synonym"]):
    """Synonyms."""

    def about(self, keys: list[str]) -> Self:
        """Synonyms with one of these keys on either side."""
        return self.filter(models.Q(word_key__in=keys) | models.Q(means_key__in=keys))


class Synonym(Versioned):
    """Two expressions with the same meaning; a search for one also finds the other."""

    word = line_field(60)
    means = line_field(120)
    word_key = models.CharField(max_length=200, editable=False, unique=True)
    means_key = models.CharField(max_length=400, editable=False, db_index=True)

    objects = SynonymQuerySet.as_manager()
    history = HistoricalRecords(excluded_fields=["word_key", "means_key"])

    class Meta:
        ordering = ["word_key"]

    def __str__(self) -> str:
        return f"{self.word} = {self.means}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save it with its keys."""
        self.set_keys()
        if (fields := kwargs.get("update_fields")) is not None:
            kwargs["update_fields"] = {*fields, "word_key", "means_key"}
        super().save(*args, **kwargs)

    @staticmethod
    def key_of(text: str) -> str:
        """Normalise an expression as searches do; empty without a letter or digit."""
        return " ".join(words(text)) if any(map(str.isalnum, text)) else ""

    def set_keys(self) -> None:
        """Set the normalised keys; does not save."""
        self.word_key, self.means_key = self.key_of(self.word), self.key_of(self.means)

    def clean(self) -> None:
        """Refuse expressions without a letter or digit, and a synonym of itself."""
        self.set_keys()
        for field in ("word", "means"):
            if getattr(self, field) and not getattr(self, f"{field}_key"):
                raise ValidationError({field: "Give at least one letter or digit."})
        if self.word_key and self.word_key == self.means_key:
            raise ValidationError(
                {"means": "A search treats both as the same word, so no synonym is needed."}
            )
        if Synonym.objects.exclude(pk=self.pk).filter(word_key=self.word_key).exists():
            raise ValidationError({"word": "This word has a synonym already: change that one."})
