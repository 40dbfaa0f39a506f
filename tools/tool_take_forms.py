"""The takes on a tool's admin page: one form per reviewer, in panel order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from reviews import cautions, take_changes
from reviews.models import Reviewer, Take
from reviews.scoring import Panel, panel_of
from shipskip.editing.edit_conflicts import changed_fields
from shipskip.editing.fields import ReasonField
from shipskip.editing.keyed_forms import KeyedFormSet
from shipskip.editing.publish_buttons import Act
from shipskip.editing.publishable_form import PublishableForm
from shipskip.editing.states import state_in_words

NOT_WITH_TOOL = (
    "the take is to be published with its tool. To leave it a draft, untick “Publish its draft "
    "takes with it” and choose “Publish it” for the takes that are ready."
)
ON_SAVE = [
    ("", "Leave it as it is"),
    (Act.PUBLISH, "Publish it"),
    (Act.SCHEDULE, "Schedule it for the date"),
    (Act.UNSCHEDULE, "Remove it from the schedule"),
]
"""The possible changes of state of a take that is not public, when the tool is saved."""


class TakeOfToolForm(PublishableForm[Take]):
    """One reviewer's take on the tool."""

    reason = ReasonField(help_text=take_changes.REASON_HELP)
    still_true = forms.BooleanField(required=False, label=take_changes.STILL_TRUE, label_suffix="")
    on_save = forms.ChoiceField(required=False, label="With this save", choices=ON_SAVE)

    schedule_help = "“Schedule it for the date” uses this date."
    how_to_schedule = "choose “Schedule it for the date”"
    closed = False
    """Whether this editor may only read the take, because it is public."""
    absent = False
    """Whether the submitted data lacks this form."""
    reviewer: Reviewer
    state = "Missing"

    class Meta:
        model = Take
        fields = ["score", "verdict", "basis", "published_at", "body"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.revision = take_changes.Revision.of(self.instance)
        for name in self.revision.omitted_fields:
            del self.fields[name]
        self.fields["score"].widget.attrs.update({"min": "0", "max": "100"})
        # The choice comes first in the fields: the date is cleaned after it and depends on it.
        self.order_fields(["score", "verdict", "basis", "on_save", "published_at"])

    @property
    def changed_data(self) -> list[str]:
        """The fields that were changed; none if the form was not submitted."""
        if self.absent:
            return ["published_at"] if self.moved else []
        return super().changed_data

    def clean_on_save(self) -> str:
        """Apply the choice for this take."""
        chosen = str(self.cleaned_data["on_save"])
        self.act = Act(chosen) if chosen else Act.SAVE
        return chosen

    def clean_published_at(self) -> datetime | None:
        """The moment of publication; an unused date is reported with the reviewer's name."""
        moment = super().clean_published_at()
        if self.unused_date:
            self.unused_date = f"{self.reviewer}: {self.unused_date}"
        return moment

    def move(self, moment: datetime | None) -> None:
        """Publish or schedule the take, or remove it from the schedule, with its tool; a
        take without score or verdict gets an error instead of a date.
        """
        take = self.instance
        lacking = take_changes.unfinished(take.score, take.verdict) if moment else []
        for name in lacking:
            self.add_error(name, f"{take_changes.WHAT_TO_ENTER[name]}: {NOT_WITH_TOOL}")
        if not lacking and take.published_at != moment:
            take.published_at, self.moved = moment, True

    def find_cautions(self) -> dict[str, str]:
        """Warn about a score that does not match its verdict, and about a short text."""
        return cautions.as_typed(*map(self.shown, ("score", "verdict", "body")))

    def clean(self) -> dict[str, Any]:
        """Require a reason for a public change; refuse to replace a deleted public take."""
        cleaned, take = super().clean(), self.instance
        for name, message in self.revision.errors(cleaned, may_publish=self.may_publish).items():
            if name not in self.errors:
                self.add_error(name, message)
        if cleaned.get("still_true") or set(self.changed_data) - {
            "reason",
            "published_at",
            "on_save",
        }:
            take.checked_at = timezone.now()
            self.set_by_rule.append("checked_at")
        if (
            not take.pk
            and take.tool_id
            and take_changes.deleted_while_public(take.tool_id, self.reviewer.pk)
        ):
            self.add_error(None, take_changes.DELETED_TAKE_WAS_PUBLIC)
        return cleaned

    def close(self) -> None:
        """Disable all fields, so that the take cannot change."""
        self.closed = True
        for field in self.fields.values():
            field.disabled = True


def is_published_with_tool(take: Take, now: datetime) -> bool:
    """Whether a take is published with its tool: a draft, or scheduled for the same moment."""
    if take.state(now) == "scheduled":
        return bool(take.pk) and take.published_at == take.tool.published_at
    return take.state(now) == "draft"


class TakesFormSet(KeyedFormSet):
    """A form for each reviewer, with their take on this tool or empty."""

    def __init__(self, *args: Any, may_publish: bool = True, **kwargs: Any) -> None:
        self.reviewers, self.now = list(Reviewer.objects.all()), timezone.now()
        self.may_publish = may_publish
        """Whether the editor may set publication dates and change public takes."""
        super().__init__(*args, **kwargs)

    @cached_property
    def stored(self) -> dict[int, Take]:
        """The stored takes, by reviewer."""
        return {take.reviewer_id: take for take in self.get_queryset()}

    @property
    def form_keys(self) -> list[int]:  # type: ignore[override]
        """The reviewers."""
        return [row.pk for row in self.reviewers]

    def row_of(self, key: int) -> Take:
        """The take of the reviewer with this primary key."""
        take = self.stored.get(key) or Take()
        take.reviewer = next(row for row in self.reviewers if row.pk == key)
        return take

    def add_fields(self, form: TakeOfToolForm, index: int | None) -> None:
        """Prepare the fields of a take, and disable them if this editor may not change it."""
        super().add_fields(form, index)
        if index is None:
            return
        take = form.instance
        form.reviewer, form.may_publish = self.reviewers[index], self.may_publish
        is_public = take.state(self.now) == "public"
        if is_public or not self.may_publish:
            del form.fields["on_save"]
        if take.pk:
            form.state = state_in_words(take)
            if is_public and not self.may_publish:
                form.close()

    def clean(self) -> None:
        """Publish drafts with their tool if chosen; require a public take for a public tool."""
        super().clean()
        self._check_removed_reviewers()
        moment, now = self.instance.published_at, timezone.now()
        from_then = max(moment, now.replace(microsecond=0)) if moment else None
        if self.may_publish and self.data.get("with_takes"):
            act = Act.of(self.data)
            if act is not Act.SAVE or self.instance.state(now) == "public":
                for form in self._written():
                    if is_published_with_tool(form.instance, now):
                        form.move(from_then)
        if from_then is None:
            return
        moments = [form.instance.published_at for form in self._written()]
        if not any(self.errors) and not any(at and at <= from_then for at in moments):
            raise ValidationError(
                "A public tool needs a take: write one, and publish it no later than the tool; or "
                "save the tool as a draft."
            )

    def _check_removed_reviewers(self) -> None:
        """Refuse text for a reviewer who was removed meanwhile, and repeat the text."""
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
        """Save a changed take and, if readers could see what changed, a TakeChange."""
        stored: Take = form.instance
        if stored.pk and not changed_fields(form):
            return stored
        saved: Take = super().save_new(form, commit)
        form.revision.save_change(form.cleaned_data.get("reason", ""))
        return saved

    def as_written(self) -> Panel:
        """The panel as it would be if every take on the page were public."""
        judgements = (
            (form.shown("score"), form.shown("verdict"))
            for form in self.forms
            if form.instance.state(timezone.now()) != "withdrawn"
        )
        return panel_as_written(judgements)

    def _written(self) -> Iterator[TakeOfToolForm]:
        """The forms with a take."""
        return (form for form in self.forms if form.instance.pk or form.has_changed())


@dataclass(frozen=True)
class TypedTake:
    """A take as typed so far."""

    field: str
    """The prefix of the ids of its fields."""
    score: str
    verdict: str
    cautions: Mapping[str, str]
    """The warnings about it, by field."""

    @classmethod
    def of(cls, sent: Mapping[str, str], prefix: str) -> "TypedTake":
        """The take whose field names start with `prefix`."""
        score, verdict, body = (
            sent.get(f"{prefix}-{name}", "") for name in ("score", "verdict", "body")
        )
        return cls(f"id_{prefix}", score, verdict, cautions.as_typed(score, verdict, body))


def panel_as_written(typed: Iterable[tuple[str, str]]) -> Panel:
    """The panel of typed pairs of score and verdict; incomplete pairs are left out."""
    takes = [
        Take(score=score, verdict=verdict)
        for score, verdict in ((cautions.score_of(text), verdict) for text, verdict in typed)
        if score is not None and verdict in ("ship", "skip")
    ]
    return panel_of(takes)
