"""The takes on a tool's admin page: one form per reviewer, in panel order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import cached_property

from reviews import cautions, take_changes
from reviews.models import Reviewer, Take
from reviews.scoring import Panel, panel_of
from reviews.take_editing import EditedTakeForm
from reviews.take_writing import TakeEdit, write_takes
from shipskip.editing.edit_conflicts import changed_fields
from shipskip.editing.folds import needs_a_look
from shipskip.editing.publish_buttons import Act
from shipskip.editing.row_forms import KEY, RowFormSet
from shipskip.editing.states import state_in_words
from shipskip.web.first_sentence import opening
from shipskip.web.text import shorten

NOT_WITH_TOOL = (
    "the take is to be published with its tool. To leave it a draft, tick “Hold this take back”."
)
GOES_WITH_SAVE = "Otherwise saving publishes it, if you change something here."


class TakeOfToolForm(EditedTakeForm):
    """One reviewer's take on the tool."""

    follows_tool = False
    """Whether what is done with the tool is done with the take: it is a draft, or scheduled with
    it."""
    closed = False
    """Whether this editor may only read the take, because it is public or scheduled."""
    reviewer: Reviewer
    state = "Missing"

    class Meta:
        model = Take
        fields = ["score", "verdict", "basis", "published_at", "held", "because", "body"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "published_at" in self.fields:  # not shown; a colleague's publication is a conflict
            self.fields["published_at"].disabled = True

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

    @property
    def what(self) -> str:
        """What is in the form, in a line: score, verdict and the start of the text."""
        take = self.instance
        score = "no score" if take.score is None else f"{take.score}"
        words = take.because or opening(take.body).sentence
        return " · ".join(filter(None, [score, take.verdict or "no verdict", shorten(words, 80)]))

    def clean(self) -> dict[str, Any]:
        """Refuse to replace a deleted public take."""
        cleaned, take = super().clean(), self.instance
        if not take.pk and take.tool_id:
            self.refuse_if_deleted(take.tool_id, self.reviewer.pk)
        return cleaned

    def close(self) -> None:
        """Disable all fields, so that the take cannot change."""
        self.closed = True
        for name, field in self.fields.items():
            field.disabled = name != KEY


class TakesFormSet(RowFormSet):
    """A form for each reviewer, with their take on this tool or empty."""

    def __init__(
        self,
        *args: Any,
        may_publish: bool = True,
        tool_was_public: bool = False,
        tool_act: Act = Act.SAVE,
        **kwargs: Any,
    ) -> None:
        self.reviewers, self.now = list(Reviewer.objects.all()), timezone.now()
        self.tool_was_public, self.tool_act = tool_was_public, tool_act
        """Whether readers could see the tool before the save, and what the save does with it."""
        self.may_publish = may_publish
        """Whether the editor may set publication dates and change public takes."""
        super().__init__(*args, **kwargs)

    @cached_property
    def stored(self) -> dict[int, Take]:
        """The stored takes, by reviewer."""
        return {take.reviewer_id: take for take in self.get_queryset()}

    @cached_property
    def rows(self) -> dict[str, Take]:
        """The take of each reviewer, in panel order."""
        takes = {str(row.pk): self.stored.get(row.pk) or Take() for row in self.reviewers}
        for reviewer in self.reviewers:
            takes[str(reviewer.pk)].reviewer = reviewer
        return takes

    def add_fields(self, form: TakeOfToolForm, index: int | None) -> None:
        """Prepare the fields of a take, and disable them if this editor may not change it."""
        super().add_fields(form, index)
        take = form.instance
        if take.reviewer_id is None:
            return
        form.reviewer, form.may_publish = take.reviewer, self.may_publish
        # As stored: the tool's form has set its new moment on `self.instance`.
        form.follows_tool = take.follows_tool(self.now)
        if not form.follows_tool:
            form.fields.pop("held", None)
            form.stored.pop("held", None)
        elif self.tool_was_public:
            form.fields["held"].help_text = GOES_WITH_SAVE
        if take.pk:
            form.state = state_in_words(take)
            if take.published_at and not self.may_publish:
                form.close()

    def clean(self) -> None:
        """Do with each take that follows its tool what is done with the tool, unless it is held
        back; require a public take for a public tool.
        """
        super().clean()
        self._check_removed_reviewers()
        moment, now = self.instance.published_at, timezone.now()
        from_then = max(moment, now.replace(microsecond=0)) if moment else None
        takes_move = self.tool_was_public or self.tool_act is not Act.SAVE
        for form in self._written() if self.may_publish else ():
            if not form.follows_tool:
                continue
            if form.instance.held:
                form.move(None)
            elif takes_move and (form.has_changed() or form.instance.goes_along(now)):
                form.move(from_then)
        if from_then is None:
            return
        takes = [*self.stored.values(), *(form.instance for form in self._written())]
        moments = [take.published_at for take in takes]
        if not any(self.errors) and not any(at and at <= from_then for at in moments):
            raise ValidationError(
                "A public tool needs a take: write one, and publish it no later than the tool; or "
                "save the tool as a draft."
            )

    def _check_removed_reviewers(self) -> None:
        """Refuse text for a reviewer who was removed meanwhile, and repeat the text."""
        known = {form.prefix for form in self.forms}
        for key in self.data:
            prefix, _, name = key.rpartition("-")
            text = self.data[key].strip()
            if name == "body" and text and prefix not in known and prefix.startswith("takes-"):
                raise ValidationError(
                    "A reviewer was removed from the panel while you wrote for them. Copy what "
                    "you want to keep; saving again leaves it out. You wrote: “%(text)s”",
                    params={"text": text},
                )

    def save_changed(self, changed: Sequence[TakeOfToolForm]) -> None:
        """Write changed takes."""
        edits = []
        for form in changed:
            take = form.instance
            names = changed_fields(form) if take.pk else TakeOfToolForm.Meta.fields
            fields = {name: getattr(take, name) for name in names}
            reason = form.cleaned_data.get("reason") or ""
            key = self.instance.pk, form.reviewer.pk
            edits.append(TakeEdit(*key, fields, reason, is_new=not take.pk))
        write_takes(edits, self.act)

    @cached_property
    def open_takes(self) -> set[int]:
        """The reviewers whose takes are open: those that come back to the editor, and drafts; else
        the next one to write.
        """
        found = {
            form.reviewer.pk
            for form in self.forms
            if needs_a_look([form])
            or (form.instance.pk and form.instance.state(self.now) == "draft")
        }
        missing = [form.reviewer.pk for form in self.forms if not form.instance.pk]
        return found or set(missing[:1])

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
        typed = [sent.get(f"{prefix}-{name}", "") for name in cautions.FIELDS]
        score, verdict, *_ = typed
        return cls(f"id_{prefix}", score, verdict, cautions.as_typed(*typed))


def panel_as_written(typed: Iterable[tuple[str, str]]) -> Panel:
    """The panel of typed pairs of score and verdict; incomplete pairs are left out."""
    takes = [
        Take(score=score, verdict=verdict)
        for score, verdict in ((cautions.score_of(text), verdict) for text, verdict in typed)
        if score is not None and verdict in ("ship", "skip")
    ]
    return panel_of(takes)
