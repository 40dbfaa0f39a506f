"""The takes on a tool's screen: one form a reviewer, in panel order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import BaseInlineFormSet
from django.utils import timezone

from reviews import cautions, record
from reviews.models import Reviewer, Take
from reviews.scoring import Panel, panel_of
from shipskip.editing.edit_conflicts import changed_fields
from shipskip.editing.fields import ReasonField
from shipskip.editing.publishable_form import PublishableForm
from shipskip.editing.states import state_in_words
from tools.models import Tool


class TakeOfToolForm(PublishableForm[Take]):
    """One reviewer's take on the tool."""

    reason = ReasonField(help_text=record.REASON_HELP)
    still_true = forms.BooleanField(required=False, label=record.STILL_TRUE, label_suffix="")

    closed = False
    """Whether this editor may read this take alone, since readers can."""
    absent = False
    """Whether the page that was sent did not hold this form."""
    reviewer: Reviewer
    state = "Missing"

    class Meta:
        model = Take
        fields = ["score", "verdict", "published_at", "body"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.revision = record.Revision.of(self.instance)
        for name in self.revision.not_asked:
            del self.fields[name]
        self.fields["score"].widget.attrs.update({"min": "0", "max": "100"})
        if "published_at" in self.fields:
            self["published_at"].help_text = "UTC; empty is a draft"

    @property
    def changed_data(self) -> list[str]:
        """The fields that were changed; none of a form that was not on the page."""
        return list(self.set_by_rule) if self.absent else super().changed_data

    def find_cautions(self) -> dict[str, str]:
        """A score at odds with its verdict, and a text too short."""
        return cautions.as_typed(*map(self.shown, ("score", "verdict", "body")))

    def clean(self) -> dict[str, Any]:
        """Ask for a reason where readers see a change; a new take was never deleted in public."""
        cleaned, take = super().clean(), self.instance
        for name, said in self.revision.complaints(cleaned, may_publish=self.may_publish).items():
            if name not in self.errors:
                self.add_error(name, said)
        if cleaned.get("still_true") or set(self.changed_data) - {"reason", "published_at"}:
            take.checked_at = timezone.now()
            self.set_by_rule.append("checked_at")
        if (
            not take.pk
            and take.tool_id
            and record.deleted_in_public(take.tool_id, self.reviewer.pk)
        ):
            self.add_error(None, record.WAS_PUBLIC)
        return cleaned

    def close(self) -> None:
        """Leave the take as it is, whatever is sent for it."""
        self.closed = True
        for field in self.fields.values():
            field.disabled = True


if TYPE_CHECKING:
    TakesOfTool = BaseInlineFormSet[Take, Tool, TakeOfToolForm]
else:
    TakesOfTool = BaseInlineFormSet  # which takes no types when it runs


def goes_with_its_tool(take: Take, now: datetime) -> bool:
    """Whether a take waits for its tool: a draft, or scheduled for the tool's stored moment."""
    if take.state(now) == "scheduled":
        return bool(take.pk) and take.published_at == take.tool.published_at
    return take.state(now) == "draft"


class TakesFormSet(TakesOfTool):
    """A form for each reviewer: their take on this tool, or an empty one that is ready for it.

    A form belongs to its reviewer and not to a row, so that a take which a colleague wrote or
    deleted meanwhile meets the form in which it was written here.
    """

    def __init__(self, *args: Any, may_publish: bool = True, **kwargs: Any) -> None:
        self.reviewers, self.now = list(Reviewer.objects.all()), timezone.now()
        self.may_publish = may_publish
        """Whether the editor may say when takes are public, and change those that are."""
        super().__init__(*args, **kwargs)

    @cached_property
    def stored(self) -> dict[int, Take]:
        """The takes there are, by reviewer."""
        return {take.reviewer_id: take for take in self.get_queryset()}

    def initial_form_count(self) -> int:
        """None is told from the others by having been there first."""
        return 0

    def total_form_count(self) -> int:
        """As many as there are reviewers."""
        return len(self.reviewers)

    def add_prefix(self, index: int | str) -> str:
        """The name of a reviewer's form."""
        own = self.reviewers[index].pk if isinstance(index, int) else index
        return f"{self.prefix}-{own}"

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """The take of the reviewer whose form this is."""
        own = super().get_form_kwargs(index)
        if index is not None:
            reviewer = self.reviewers[index]
            own["instance"] = self.stored.get(reviewer.pk) or Take()
            own["instance"].reviewer = reviewer
        return own

    def add_fields(self, form: TakeOfToolForm, index: int | None) -> None:
        """The fields of a take, which is found by its reviewer, and whether they may be filled."""
        super().add_fields(form, index)
        form.fields.pop("id", None)
        if index is None:
            return
        take = form.instance
        form.reviewer, form.may_publish = self.reviewers[index], self.may_publish
        if take.pk:
            form.state = state_in_words(take)
            if not self.may_publish and take.state(self.now) == "public":
                form.close()
        start = f"{self.add_prefix(index)}-"
        form.absent = self.is_bound and not any(key.startswith(start) for key in self.data)

    def clean(self) -> None:
        """Publish drafts with their tool where that was asked for; a public tool has a take."""
        super().clean()
        self._give_back()
        moment, now = self.instance.published_at, timezone.now()
        if moment is None:
            return
        from_then = max(moment, now.replace(microsecond=0))
        if self.may_publish and self.data.get("with_takes"):
            for form in self._written():
                if goes_with_its_tool(form.instance, now):
                    form.instance.published_at = from_then
                    form.set_by_rule.append("published_at")
        moments = [form.instance.published_at for form in self._written()]
        if not any(self.errors) and not any(at and at <= from_then for at in moments):
            raise ValidationError(
                "Published without any take: write one, and publish it no later than its tool; "
                "or leave the tool without a moment, as a draft."
            )

    def _give_back(self) -> None:
        """What was written for a reviewer who was removed meanwhile is shown once more."""
        known = {self.add_prefix(at) for at in range(len(self.reviewers))}
        for key in self.data:
            prefix, _, name = key.rpartition("-")
            text = self.data[key].strip()
            if name == "body" and text and prefix not in known and prefix.startswith("takes-"):
                raise ValidationError(
                    "A reviewer was removed from the panel while you wrote for them. Copy what "
                    "you want to keep; saving again leaves it out. You wrote: “%(text)s”",
                    params={"text": text},
                )

    def save_new(self, form: TakeOfToolForm, commit: bool = True) -> Take:  # noqa: FBT001, FBT002
        """Save a take and keep the public record; one that the form does not change stays."""
        stored: Take = form.instance
        if stored.pk and not changed_fields(form):
            return stored
        saved: Take = super().save_new(form, commit)
        form.revision.keep_record(form.cleaned_data.get("reason", ""))
        return saved

    def as_written(self) -> Panel:
        """The panel as it would be if all that is on the page were public."""
        said = (
            (form.shown("score"), form.shown("verdict"))
            for form in self.forms
            if form.instance.state(timezone.now()) != "withdrawn"
        )
        return panel_as_written(said)

    def _written(self) -> Iterator[TakeOfToolForm]:
        """The forms that hold a take."""
        return (form for form in self.forms if form.instance.pk or form.has_changed())


@dataclass(frozen=True)
class SentTake:
    """A take as it was typed so far."""

    field: str
    """The beginning of the ids of its fields."""
    score: str
    verdict: str
    cautions: Mapping[str, str]
    """What looks odd about it, by field."""

    @classmethod
    def of(cls, sent: Mapping[str, str], prefix: str) -> "SentTake":
        """The take whose fields' names begin with `prefix`."""
        score, verdict, body = (
            sent.get(f"{prefix}-{name}", "") for name in ("score", "verdict", "body")
        )
        return cls(f"id_{prefix}", score, verdict, cautions.as_typed(score, verdict, body))


def panel_as_written(said: Iterable[tuple[str, str]]) -> Panel:
    """The panel that pairs of a score and a verdict make up, both as typed; halves are left out."""
    takes = [
        Take(score=score, verdict=verdict)
        for score, verdict in ((cautions.score_of(text), verdict) for text, verdict in said)
        if score is not None and verdict in ("ship", "skip")
    ]
    return panel_of(takes)
