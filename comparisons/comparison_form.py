"""The desk's forms of a comparison: its tools, and its place among the featured ones."""

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminIntegerFieldWidget, AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.forms.models import BaseModelFormSet
from django.utils.functional import cached_property

from comparisons.addresses import MAX_TOOLS
from comparisons.models import Comparison, ComparisonTool
from shipskip.editing.foreign_key_fields import ChoiceByName, ChoiceByNameField, is_key
from shipskip.editing.form_list import FormList, FormListField, Items
from shipskip.editing.row_forms import RowKeyField
from shipskip.web.text import validate_line
from tools.models import LONGEST_CHOOSE_IF, Tool

if TYPE_CHECKING:
    Places = BaseModelFormSet[Comparison, Any]
else:
    Places = BaseModelFormSet  # it takes no type parameters at run time

CHOOSE_IF_HELP = (
    "They stand in the order of their places; an equal place is after the tool that had it. "
    "“Choose it if …” is optional. It is shown above the cards instead of the tool’s own text: "
    "start in lower case."
)


class ToolForm(forms.Form):
    """A tool of a comparison, and the text on it."""

    tool = ChoiceByNameField(
        Tool.objects.all(),
        label="Tool",
        required=False,
        widget=ChoiceByName(ComparisonTool._meta.get_field("tool"), admin.site),
    )
    choose_if = forms.CharField(
        label="Choose it if",
        required=False,
        max_length=LONGEST_CHOOSE_IF,
        validators=[validate_line],
        widget=AdminTextInputWidget(attrs={"class": "vLargeTextField"}),
    )


class ToolForms(FormList):
    """The tools of a comparison."""

    noun = "Tool"

    @cached_property
    def known(self) -> dict[int, Tool]:
        """The chosen tools; one query."""
        names = [f"{self.add_prefix(at)}-tool" for at in range(self.total_form_count())]
        keys = [self.data.get(name, "") for name in names]
        return Tool.objects.in_bulk([int(key) for key in keys if is_key(key)])

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        """Give the choice of a submitted form the tools that are loaded already."""
        super().add_fields(form, index)
        choice = form.fields["tool"]
        if self.is_bound and isinstance(choice, ChoiceByNameField):
            choice.known = self.known

    def items(self) -> Items:
        """The tools with their texts; raises ValidationError for a text without a tool."""
        found = []
        for form in self.ordered_forms:
            tool, text = form.cleaned_data.get("tool"), form.cleaned_data.get("choose_if", "")
            if text and not tool:
                raise ValidationError(f"Choose what “{text}” is about, or delete this text.")
            if tool:
                found.append({"tool": tool.pk, "choose_if": text})
        return found


ToolFormSet = cast(
    type[FormList],
    forms.formset_factory(
        ToolForm,
        formset=ToolForms,
        can_order=True,
        can_delete=True,
        extra=MAX_TOOLS,
        max_num=MAX_TOOLS,
        absolute_max=MAX_TOOLS + 1,  # one more is refused and not silently dropped
    ),
)


def tools_field() -> FormListField:
    """The field for the tools of a comparison."""
    column = Comparison._meta.get_field("tool_list")

    def as_text(items: Items) -> str:
        names = Tool.objects.in_bulk(column.keys(items))
        return column.as_text(items, lambda key: str(names.get(key, "—")))

    return FormListField(
        ToolFormSet,
        as_text,
        label="Tools",
        help_text=CHOOSE_IF_HELP,
        error_messages={"required": f"Choose two tools, or up to {MAX_TOOLS}."},
    )


class PlaceForm(forms.ModelForm):  # type: ignore[type-arg]  # none at run time
    """The place of a featured comparison, in the list; others have none."""

    class Meta:
        model = Comparison
        fields = ["position"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.featured:
            del self.fields["position"]
            return
        attrs = {"aria-label": f"Place of {self.instance}", "min": "0"}
        self.fields["position"].widget = AdminIntegerFieldWidget(attrs)


class PlaceFormSet(Places):
    """The places in the list."""

    def add_fields(self, form: Any, index: int | None) -> None:
        """Replace the field of the key of the row; check the rows that change, not all."""
        super().add_fields(form, index)
        form.empty_permitted = True
        form.fields["id"] = RowKeyField(initial=form.instance.pk, required=False)
