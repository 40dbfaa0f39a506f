"""Publication by date and time: only `published(now)` decides what is public."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from simple_history.utils import bulk_update_with_history, get_history_manager_for_model

from shipskip.web.preview_tokens import fresh_key

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)
"""The publication date of rows that were always public (categories and reviewers by default)."""

M = TypeVar("M", bound=models.Model)
Editor: TypeAlias = "AbstractBaseUser | AnonymousUser | None"
"""The user who changes a row; None if unknown."""


class PublishedQuerySet(models.QuerySet[M]):
    """Rows with a moment of publication, `published_at`."""

    def existing(self) -> Self:
        """Rows that are not deleted."""
        return self.filter(deleted_at=None)

    def deleted_after_publication(self) -> Self:
        """Deleted rows that were public once."""
        return self.filter(deleted_at__isnull=False, withdrawn_at__isnull=False)

    def published(self, now: datetime) -> Self:
        """Rows that are public at `now`; without drafts, scheduled and deleted rows, which have no
        moment of publication that has come.
        """
        return self.filter(published_at__lte=now)

    def draft(self) -> Self:
        """Rows without a moment of publication that were never public."""
        return self.filter(published_at=None, withdrawn_at=None)

    def withdrawn(self) -> Self:
        """Rows that were public and no longer have a moment of publication."""
        return self.filter(published_at=None, withdrawn_at__isnull=False)

    def not_withdrawn(self) -> Self:
        """Rows that are public, scheduled or drafts; without withdrawn ones."""
        return self.filter(Q(published_at__isnull=False) | Q(withdrawn_at=None))

    def scheduled(self, now: datetime) -> Self:
        """Rows whose moment is after `now`."""
        return self.filter(published_at__gt=now)

    def between(self, start: datetime, end: datetime) -> Self:
        """Rows published in the half-open interval from `start` to before `end`."""
        return self.filter(published_at__gte=start, published_at__lt=end)

    def soonest(self) -> Self:
        """Order by moment of publication, earliest first; for rows that have one."""
        return self.order_by("published_at", "pk")

    def latest_first(self) -> Self:
        """Drafts first, then by moment of publication or withdrawal, latest first."""
        latest = Coalesce("published_at", "withdrawn_at")
        return self.order_by(latest.desc(nulls_first=True), "-pk")


class ExistingManager(models.Manager[M]):
    """All rows except deleted ones; `from_queryset` adds the words of the model's queryset."""

    def get_queryset(self) -> "models.QuerySet[M]":
        """Rows that are not deleted."""
        return super().get_queryset().filter(deleted_at=None)


def moment_field(**kwargs: Any) -> "models.DateTimeField[Any, Any]":
    """A field for the moment of publication; `default=ALWAYS` makes new rows public at once."""
    return models.DateTimeField(
        "published",
        null=True,
        blank=True,
        db_index=True,
        **kwargs,
    )


def once(*fields: str, name: str, advice: str, code: str | None = None) -> models.UniqueConstraint:
    """The constraint that only one row that is not deleted has these values; `advice` is the error
    message. With the code `unique` the message belongs to the field.
    """
    return models.UniqueConstraint(
        fields=fields,
        condition=Q(deleted_at=None),
        name=name,
        violation_error_code=code,
        violation_error_message=advice,
    )


def withdrawal(before: datetime | None, after: datetime | None, now: datetime) -> bool:
    """Whether changing the moment of publication from `before` to `after` at `now` withdraws a row
    that is public.
    """
    return before is not None and before <= now and (after is None or after > now)


def first_seen(model: "type[Publishable]", path: str = "") -> Coalesce:
    """The moment since which readers have seen a row of a model: its moment of publication, or that
    before its withdrawal. For public rows; `path` leads to the row, as in `tool__`.
    """
    history = get_history_manager_for_model(model).filter(id=OuterRef(f"{path}pk"))
    earlier = history.filter(published_at__lte=OuterRef(f"{path}withdrawn_at"))
    first = earlier.order_by("published_at").values("published_at")[:1]
    return Coalesce(Subquery(first), f"{path}published_at")


class Versioned(models.Model):
    """A row whose history names the editor of each version."""

    class Meta:
        abstract = True

    def changed_by(self, user: Editor, reason: str | None = None) -> None:
        """Set the editor and the reason that the next version in the history records."""
        self._history_user, self._change_reason = user, reason


class Publishable(Versioned):
    """A row that is public from a moment on, or a draft while it has none.

    `withdrawn_at` is when it was last withdrawn, and is never cleared: changes of a
    row that readers have seen are listed on its page. A deleted row stays in its table, with all
    that refers to it, so that the deletion can be undone: `objects` leaves it out, `everything`
    does not, and its address is free.
    """

    published_at = moment_field()
    withdrawn_at = models.DateTimeField(null=True, blank=True, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True
        default_permissions = ("view", "add", "change", "delete", "publish")

    def get_absolute_url(self) -> str:
        """The address of the public page that shows the row."""
        raise NotImplementedError

    def state(self, now: datetime) -> str:
        """Return `draft`, `scheduled`, `public` or `withdrawn` at `now`, by its own dates only."""
        if self.published_at is None:
            return "withdrawn" if self.withdrawn_at else "draft"
        return "public" if self.published_at <= now else "scheduled"

    @property
    def required_rows(self) -> "Sequence[Publishable]":
        """The rows that must be public too before readers can see this one."""
        return []

    def has_been_public(self, now: datetime) -> bool:
        """Whether it is public at `now` or was earlier, according to its own dates."""
        return self.withdrawn_at is not None or self.state(now) == "public"

    def publish(self, now: datetime) -> None:
        """Make it public from `now` on; a row that is public already keeps its moment."""
        if self.state(now) != "public":
            publish([self], now)

    def withdraw(self, now: datetime) -> None:
        """Withdraw it, or cancel its scheduled publication."""
        withdraw([self], now)

    def remove(self, now: datetime) -> None:
        """Delete it for readers and editors, without what refers to it; `bring_back` undoes it."""
        if self.deleted_at is None:
            fields = {"published_at", "deleted_at", *self.revoke_previews()}
            if withdrawal(self.published_at, None, now):
                fields.update(self.record_withdrawal(now))
            self.published_at, self.deleted_at = None, now
            self.save(update_fields=fields)

    def bring_back(self, *, fields: Collection[str] = ()) -> None:
        """Undo `remove`; the row is withdrawn or a draft. Saves these other fields too.

        Raises IntegrityError when another row has its address or its place now.
        """
        if self.deleted_at is not None:
            self.deleted_at = None
            self.save(update_fields={"deleted_at", *fields})

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Check the constraints, those of rows that are not deleted too: no form has that field."""
        super().validate_constraints(set(exclude or ()) - {"deleted_at"})

    def record_withdrawal(self, now: datetime, *, keep_previews: bool = False) -> list[str]:
        """Set the other fields that a withdrawal changes; return their names."""
        self.withdrawn_at = now
        return ["withdrawn_at", *([] if keep_previews else self.revoke_previews())]

    def revoke_previews(self) -> list[str]:
        """Make its preview links invalid, if there are any; return the names of changed fields."""
        return []


def publish(rows: Sequence[Publishable], now: datetime, by: Editor = None) -> None:
    """Make these rows of one model public from `now` on, recorded for an editor; rows that were
    public before get that date again. The number of queries does not depend on the number of rows.
    """
    earlier = earlier_moments(rows)
    for row in rows:
        row.published_at = earlier.get(row.pk) or now.replace(microsecond=0)
    _save(rows, ["published_at"], by)


def earlier_moments(rows: Sequence[Publishable]) -> dict[int, datetime]:
    """The moment of publication that rows of one model had when they were withdrawn, by primary
    key, from their histories; without rows that were never public. At most one query.
    """
    withdrawn = {row.pk: row.withdrawn_at for row in rows if row.withdrawn_at}
    if not withdrawn:
        return {}
    versions = get_history_manager_for_model(type(rows[0])).filter(id__in=withdrawn)
    moments = versions.filter(published_at__isnull=False).order_by("history_date", "history_id")
    known = moments.values_list("id", "published_at")
    return {pk: moment for pk, moment in known if moment <= withdrawn[pk]}


def withdraw(
    rows: Sequence[Publishable], now: datetime, by: Editor = None, *, keep_previews: bool = False
) -> int:
    """Withdraw public rows and cancel scheduled ones; returns the number of rows changed.

    The preview links of rows that were public are revoked, unless `keep_previews`.
    """
    found = [row for row in rows if row.published_at is not None]
    fields = {"published_at"}
    for row in found:
        if withdrawal(row.published_at, None, now):
            fields.update(row.record_withdrawal(now, keep_previews=keep_previews))
        row.published_at = None
    _save(found, sorted(fields), by)
    return len(found)


def _save(rows: Sequence[Publishable], fields: list[str], by: Editor) -> None:
    if rows:
        bulk_update_with_history(rows, type(rows[0]), fields, default_user=by)


class Previewable(Publishable):
    """A row whose page can be shown by signed links before it is public."""

    preview_key = models.CharField(max_length=32, default=fresh_key, editable=False)

    class Meta(Publishable.Meta):
        abstract = True

    def revoke_previews(self) -> list[str]:
        """Change the key of its preview links."""
        self.preview_key = fresh_key()
        return ["preview_key"]
