"""What every screen of the editors' desk shares: its state in words, its form, its one save."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.db import DatabaseError, models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.html import format_html

from shipskip.web.editing import kept
from shipskip.web.editing.acts import may_publish
from shipskip.web.editing.fields import MarkdownField, MomentField, MomentInput
from shipskip.web.editing.histories import HistoryAdmin
from shipskip.web.editing.holding import held, lost_race
from shipskip.web.editing.overtaken import OvertakenForm
from shipskip.web.editing.removal import RemovalAdmin
from shipskip.web.publishing import ALWAYS, Publishable, withdrawal

STATES = {
    "draft": "Draft",
    "scheduled": "Scheduled",
    "public": "Public",
    "withdrawn": "Withdrawn",
}
KEPT = (
    "You were logged out while you wrote. Here is your text again; it is not saved yet. "
    "Read it through and save."
)


def _may_touch(request: HttpRequest, options: Any, row: Any) -> bool:
    """Whether an editor may touch a row: who cannot publish leaves what is public alone."""
    if row is None or not isinstance(row, Publishable) or may_publish(request, options):
        return True
    return row.state(timezone.now()) != "public"


def state_in_words(row: Publishable) -> str:
    """The state with the moment that makes it so, as in `Public since 3 May 2026 09:00`."""
    now = timezone.now()
    state = row.state(now)
    moment = row.withdrawn_at if state == "withdrawn" else row.published_at
    if moment is None or moment == ALWAYS:
        return STATES[state]
    since = "from" if state == "scheduled" else "since"
    return f"{STATES[state]} {since} {moment.day} {moment:%b %Y %H:%M}"


class StateFilter(admin.SimpleListFilter):
    """Filter a list by draft, scheduled, public and withdrawn."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The states, as an editor calls them."""
        return list(STATES.items())

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """The rows in the chosen state, by their own moment."""
        now = timezone.now()
        if self.value() == "draft":
            return queryset.draft()
        if self.value() == "scheduled":
            return queryset.scheduled(now)
        if self.value() == "withdrawn":
            return queryset.withdrawn()
        if self.value() == "public":
            return queryset.filter(published_at__lte=now)
        return queryset


class PublishableForm(OvertakenForm):
    """A form of a row that is published by a moment in time."""

    kept = False
    """Whether this is a text that was kept while its editor logged in again."""

    may_publish = True
    """Whether its editor may change what readers can see, or could."""

    cautions: dict[str, str]
    """What looks odd, by field; it does not keep anybody from saving."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cautions = self.find_cautions()
        for name, said in self.cautions.items():
            if name in self.fields:
                bound = self[name]
                bound.help_text = caution(bound.auto_id, said, bound.help_text)

    def find_cautions(self) -> dict[str, str]:
        """What looks odd in what the form shows, by field; empty where it might yet."""
        return {}

    def shown(self, name: str) -> str:
        """What the form shows in a field, as text; empty where it has no such field."""
        value = self[name].value() if name in self.fields else ""
        return "" if value is None else str(value)

    def clean(self) -> dict[str, Any]:
        """Remember a withdrawal; a kept text is shown first and saved when it was read."""
        cleaned = super().clean()
        before, now = self.stored.get("published_at"), timezone.now()
        if "published_at" in cleaned and withdrawal(before, cleaned["published_at"], now):
            self.instance.withdrawn_at = now
            self.set_by_rule.append("withdrawn_at")
        if self.kept:
            raise ValidationError(KEPT, code="kept")
        return cleaned


def caution(field_id: str, said: str, help_text: Any = "") -> str:
    """A caution beside a field, after its help; empty keeps the place for one to come."""
    return format_html(
        '{} <span class="caution" id="{}_caution">{}</span>', help_text, field_id, said
    )


class PublishableAdmin(HistoryAdmin, RemovalAdmin):
    """A list and a form of rows that are published by a moment in time."""

    form = PublishableForm
    change_form_template = "admin/publishable.html"
    formfield_overrides = {
        models.CharField: {"widget": AdminTextInputWidget(attrs={"class": "vLargeTextField"})},
        models.TextField: {"form_class": MarkdownField},
        models.DateTimeField: {"form_class": MomentField, "widget": MomentInput},
    }
    keeps_text = True
    list_per_page = 50
    show_full_result_count = False

    @admin.display(description="State", ordering="published_at")
    def state(self, row: Publishable) -> str:
        """The state in words, with the moment that makes it so."""
        return state_in_words(row)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What is public is changed by those who may publish alone."""
        return super().has_change_permission(request, obj) and _may_touch(request, self.opts, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What is public is deleted by those who may publish alone."""
        return super().has_delete_permission(request, obj) and _may_touch(request, self.opts, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The moment of publication is set by those who may publish alone."""
        fields = super().get_readonly_fields(request, obj)
        return fields if self.has_publish_permission(request) else [*fields, "published_at"]

    def get_view_on_site_url(self, obj: Any = None) -> str | None:
        """The public page, where there is one to see."""
        if obj is None or not self.view_on_site:
            return None
        # As it is stored: what the form holds may have been refused.
        stored = type(obj).objects.published(timezone.now()).filter(pk=obj.pk).first()
        return str(stored.get_absolute_url()) if stored else None

    def get_form(self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any) -> Any:
        """The form; one that was kept through a login is shown before it is saved."""
        form = super().get_form(request, obj, *args, **kwargs)
        own = {"kept": getattr(request, "kept", False)}
        own["may_publish"] = self.has_publish_permission(request)
        return type(form.__name__, (form,), own)

    def get_queryset(self, request: HttpRequest) -> Any:
        """The rows; those being saved are held until the others are done with them."""
        rows = super().get_queryset(request)
        return held(rows) if saving(request) else rows

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """The form of a row: shown, shown again with a kept text, or saved."""
        again = kept.take(request)
        if again is not None:
            _ = request.FILES  # read while this is a GET; read later it would empty the form
            request.POST, request.method = again, "POST"  # type: ignore[assignment]
            request.kept = True  # type: ignore[attr-defined]
        elif request.method == "POST":
            self._set_moment(request)
        request.saving = request.method == "POST"  # type: ignore[attr-defined]
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except DatabaseError as error:
            if not lost_race(error):
                raise
            # Somebody saved between our look and our save. Now it can be seen, and told.
            return super().changeform_view(request, object_id, form_url, extra_context)
        finally:
            request.saving = False  # type: ignore[attr-defined]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """What the form's page needs beyond Django's."""
        form = context["adminform"].form
        moment = form.stored.get("published_at", getattr(form.instance, "published_at", None))
        context["show_save_and_add_another"] = False  # the bar holds what editors use
        context["may_publish"] = self.has_publish_permission(request)
        context["previewable"] = hasattr(form.instance, "preview_key")
        context["is_public"] = moment is not None and moment <= timezone.now()
        return super().render_change_form(request, context, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001
        """Save under the editor's name."""
        obj._history_user = request.user
        super().save_model(request, obj, form, change)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """The history tells it, so Django's own log does not."""

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """The history tells it, so Django's own log does not."""

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> Any:
        """Onward to the page as it will be, when that was asked for."""
        self._tell_cautions(request, obj)
        return self._to_preview(request, obj) or super().response_add(
            request, obj, post_url_continue
        )

    def response_change(self, request: HttpRequest, obj: Any) -> Any:
        """The same after a change."""
        self._tell_cautions(request, obj)
        return self._to_preview(request, obj) or super().response_change(request, obj)

    def cautions_of(self, obj: Any) -> list[str]:
        """What looks odd about a row that was just saved, a sentence each."""
        return []

    def _tell_cautions(self, request: HttpRequest, obj: Any) -> None:
        for said in self.cautions_of(obj):
            messages.warning(request, said)

    def _to_preview(self, request: HttpRequest, obj: Any) -> HttpResponse | None:
        if "_preview" not in request.POST:
            return None
        return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_preview", obj.pk)

    def _set_moment(self, request: HttpRequest) -> None:
        """The buttons that publish and withdraw set the moment; all else goes its usual way."""
        pressed = {"_publish", "_withdraw"} & set(request.POST)
        if pressed and self.has_publish_permission(request):
            sent = request.POST.copy()
            now = f"{timezone.now():%Y-%m-%dT%H:%M:%S}"
            sent["published_at"] = now if "_publish" in pressed else ""
            request.POST = sent  # type: ignore[assignment]

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: Any, object_id: str
    ) -> HttpResponse:
        """A row that is gone: whoever was writing gets their text back."""
        if request.method != "POST":
            answer: HttpResponse = super()._get_obj_does_not_exist_redirect(  # type: ignore[misc]
                request, opts, object_id
            )
            return answer
        texts = [
            (name.replace("_", " ").capitalize(), str(text))
            for name, text in request.POST.items()
            if not name.startswith(("_", "csrf")) and not name.endswith(("loaded", "_FORMS"))
        ]
        context = {
            **self.admin_site.each_context(request),
            "title": f"This {opts.verbose_name} is gone",
            "opts": opts,
            "texts": [(name, text) for name, text in texts if text.strip()],
        }
        return render(request, "admin/gone.html", context, status=409)


def saving(request: HttpRequest) -> bool:
    """Whether rows are being saved by this request, within a transaction."""
    return bool(getattr(request, "saving", False))
