"""Writing takes: one form a reviewer, in panel order, on their tool's screen or alone."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.forms.models import BaseInlineFormSet
from django.utils import timezone

from reviews import cautions, record
from reviews.models import Reviewer, Take
from reviews.scoring import Panel, panel_of
from shipskip.web.editing.overtaken import Conflict, changed_fields
from shipskip.web.editing.screens import PublishableForm, state_in_words
from shipskip.web.text import validate_reason


class TakeForm(PublishableForm):
    """A take; whose it is stays as it is once it is saved."""

    reason = forms.CharField(
        required=False,
        max_length=200,
        validators=[validate_reason],
        label="Reason for the change",
        help_text="One line for the public record; needed when the score or the verdict changes.",
    )
    still_true = forms.BooleanField(
        required=False, label="Read again today, and still true", label_suffix=""
    )
    closed = False
    """Whether this editor may read this take alone, since readers can."""
    absent = False
    """Whether the page that was sent did not hold this form."""

    class Meta:
        model = Take
        fields = ["tool", "reviewer", "score", "verdict", "body", "published_at"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        now, take = timezone.now(), self.instance
        self.before = record.judgement(take)
        self.on_record = bool(take.pk) and record.seen(take, take.tool, now)
        if not self.on_record:
            self.fields.pop("reason", None)
        if not (take.pk and is_old(take, now)):
            self.fields.pop("still_true", None)
        for name in ("tool", "reviewer"):
            if take.pk and name in self.fields:
                self.fields[name].disabled = True
        if "score" in self.fields:
            self.fields["score"].widget.attrs.update({"min": "0", "max": "100"})
        if "published_at" in self.fields:
            self["published_at"].help_text = "UTC; empty is a draft"

    @property
    def changed_data(self) -> list[str]:
        """The fields that were changed; none of a form that was not on the page."""
        return list(self.set_by_rule) if self.absent else super().changed_data

    def find_cautions(self) -> dict[str, str]:
        """A score at odds with its verdict, and a text too short."""
        score = cautions.score_of(self.shown("score"))
        return {
            "verdict": cautions.at_odds(score, self.shown("verdict")),
            "body": cautions.too_short(self.shown("body")),
        }

    def clean(self) -> dict[str, Any]:
        """Ask for a reason where readers see a change; tell whose take was there first."""
        cleaned = super().clean()
        said = cleaned.get("score"), cleaned.get("verdict")
        if self.on_record and None not in said and said != self.before:
            self._ask_for_reason(cleaned)
        if cleaned.get("still_true") or set(self.changed_data) - {"reason", "published_at"}:
            self.instance.checked_at = timezone.now()
            self.set_by_rule.append("checked_at")
        if not self.instance.pk:
            self._look_for_earlier(cleaned)
        return cleaned

    def close(self) -> None:
        """Leave the take as it is, whatever is sent for it."""
        self.closed = True
        for field in self.fields.values():
            field.disabled = True

    def _ask_for_reason(self, cleaned: dict[str, Any]) -> None:
        if not self.may_publish:
            self.add_error(
                "score",
                f"Readers could see {self.before[0]} and {self.before[1]}, so the change stands on "
                "the public record: leave both as they were, or ask a publisher.",
            )
        elif not cleaned.get("reason") and "reason" not in self.errors:
            self.add_error("reason", "Say in one line why; readers of the tool’s page see it.")

    def keep_record(self) -> None:
        """Write down, once the take is saved, what readers could see change."""
        if self.on_record and record.judgement(self.instance) != self.before:
            reason = self.cleaned_data.get("reason", "")
            record.change(self.instance, self.before, reason, timezone.now()).save()

    def _look_for_earlier(self, cleaned: dict[str, Any]) -> None:
        """A take of this reviewer on this tool may be there, or have been there in public."""
        tool = cleaned.get("tool") or self.instance.tool_id
        reviewer = cleaned.get("reviewer") or self.instance.reviewer_id
        if not (tool and reviewer) or getattr(tool, "pk", tool) is None:
            return
        earlier = Take.objects.filter(tool=tool, reviewer=reviewer).first()
        if earlier:
            self._tell_of(earlier)
        elif record.deleted_in_public(tool, reviewer):
            self.add_error(
                None,
                "Readers knew a take of this reviewer on this tool; it was deleted. Bring it back "
                "from “Deleted takes” and change it there, so that the public record tells of it.",
            )

    def _tell_of(self, earlier: Take) -> None:
        """Somebody wrote this take already: show theirs beside this one."""
        theirs = TakeForm(instance=earlier)
        self.stored = theirs.stored
        who, when = theirs._last_saved()
        names = ("score", "verdict", "body")
        rows = [(str(self[n].label), theirs.shown(n), self.shown(n)) for n in names]
        self.conflict = Conflict(who, when, rows)
        self.add_error(
            "reviewer",
            f"{earlier.reviewer} has a take on this tool already. Both are shown above: copy what "
            "you want to keep of yours, and change that one.",
        )


def is_old(take: Take, now: datetime) -> bool:
    """Whether nobody wrote or confirmed a take for longer than `STALE_AFTER_DAYS`."""
    checked = take.checked_at or take.published_at
    return checked is not None and checked < now - timedelta(days=settings.STALE_AFTER_DAYS)


def goes_with_its_tool(take: Take, now: datetime) -> bool:
    """Whether a take waits for its tool: a draft, or scheduled for the tool's stored moment."""
    if take.state(now) == "scheduled":
        return bool(take.pk) and take.published_at == take.tool.published_at
    return take.state(now) == "draft"


class TakesFormSet(BaseInlineFormSet):  # type: ignore[type-arg]
    """A form for each reviewer: their take on this tool, or an empty one that is ready for it.

    A form belongs to its reviewer and not to a row, so that a take which a colleague wrote or
    deleted meanwhile meets the form in which it was written here.
    """

    forms: list[Any]
    may_publish = True
    """Whether the editor may say when takes are public, and change those that are."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.reviewers, self.now = list(Reviewer.objects.all()), timezone.now()
        super().__init__(*args, **kwargs)

    def initial_form_count(self) -> int:
        """None is told from the others by having been there first."""
        return 0

    def total_form_count(self) -> int:
        """As many as there are reviewers."""
        return len(self.reviewers)

    def add_prefix(self, index: Any) -> str:
        """The name of a reviewer's form."""
        own = self.reviewers[index].pk if isinstance(index, int) else index
        return f"{self.prefix}-{own}"

    def add_fields(self, form: Any, index: int | None) -> None:
        """The fields of a take, which is found by its reviewer."""
        super().add_fields(form, index)
        form.fields.pop("id", None)

    def _construct_form(self, i: int, **kwargs: Any) -> Any:
        reviewer = self.reviewers[i]
        stored = {take.reviewer_id: take for take in self.get_queryset()}.get(reviewer.pk)
        if stored is not None:
            stored.reviewer = reviewer
        own = stored or Take(reviewer=reviewer)
        form = super()._construct_form(i, instance=own, **kwargs)  # type: ignore[misc]
        form.reviewer, form.may_publish = reviewer, self.may_publish
        if stored is not None and not self.may_publish and stored.state(self.now) == "public":
            form.close()
        form.state = state_in_words(stored) if stored else "Missing"
        start = f"{self.add_prefix(i)}-"
        form.absent = self.is_bound and not any(key.startswith(start) for key in self.data)
        return form

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

    def save_new(self, form: Any, commit: bool = True) -> Any:  # noqa: FBT001, FBT002
        """Save a take; one of which the form changes nothing stays as it is."""
        if form.instance.pk and not changed_fields(form):
            return form.instance
        return super().save_new(form, commit)

    def save(self, commit: bool = True) -> Any:  # noqa: FBT001, FBT002
        """Save what was written, and keep the public record."""
        saved = super().save(commit)
        for form in self.forms:
            if form.has_changed():
                form.keep_record()
        return saved

    def as_written(self) -> Panel:
        """The panel as it would be if all that is on the page were public."""
        said = (
            (form.shown("score"), form.shown("verdict"))
            for form in self.forms
            if form.instance.state(timezone.now()) != "withdrawn"
        )
        return panel_as_written(said)

    def _written(self) -> Iterator[Any]:
        """The forms that hold a take."""
        return (form for form in self.forms if form.instance.pk or form.has_changed())


@dataclass(frozen=True)
class SentTake:
    """A take as it was typed so far."""

    field: str
    """The beginning of the ids of its fields."""
    score: str
    verdict: str
    body: str

    @classmethod
    def of(cls, sent: Mapping[str, str], prefix: str) -> "SentTake":
        """The take whose fields' names begin with `prefix`."""
        texts = (sent.get(f"{prefix}-{name}", "") for name in ("score", "verdict", "body"))
        return cls(f"id_{prefix}", *texts)

    @property
    def at_odds(self) -> str:
        """What is odd about score and verdict together."""
        return cautions.at_odds(cautions.score_of(self.score), self.verdict)

    @property
    def too_short(self) -> str:
        """What is odd about the length of the text."""
        return cautions.too_short(self.body)


def panel_as_written(said: Iterable[tuple[str, str]]) -> Panel:
    """The panel that pairs of a score and a verdict make up, both as typed; halves are left out."""
    takes = [
        Take(score=score, verdict=verdict)
        for score, verdict in ((cautions.score_of(text), verdict) for text, verdict in said)
        if score is not None and verdict in ("ship", "skip")
    ]
    return panel_of(takes)
