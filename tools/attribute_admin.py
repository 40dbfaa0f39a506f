"""The admin of attributes and of families of tools."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models.functions import Lower
from django.http import HttpRequest

from shipskip.editing.admin_base import BaseAdmin
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.editing.fields import PhrasesField
from shipskip.editing.row_locks import hold
from tools.fact_values import LICENCE
from tools.models import Attribute, Category, Fact, Family, Tool


class AttributeForm(ConflictForm[Attribute]):
    """An attribute: choices are typed one per line, categories are ticked."""

    choices = PhrasesField(
        required=False, help_text="One per line; only for one choice or several choices"
    )
    category_ids = forms.TypedMultipleChoiceField(
        required=False,
        coerce=int,
        empty_value=[],
        label="Categories",
        help_text="Without a category it applies to every tool.",
        error_messages={
            "invalid_choice": "A category was deleted meanwhile: choose others, or bring it back "
            "from “Deleted categories”."
        },
        widget=forms.CheckboxSelectMultiple,
    )

    class Meta:
        model = Attribute
        fields = [
            *("name", "slug", "help", "group", "category_ids"),
            *("kind", "unit", "better", "choices", "position"),
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "kind" not in self.fields:
            return  # who may only view the row has no fields
        categories = self.fields["category_ids"]
        if isinstance(categories, forms.TypedMultipleChoiceField):
            categories.choices = list(Category.objects.values_list("pk", "name"))
        answers = Fact.objects.filter(attribute=self.instance).count() if self.instance.pk else 0
        if answers:
            kind = self.fields["kind"]
            kind.disabled = True
            tools = "1 tool answers" if answers == 1 else f"{answers:,} tools answer"
            kind.help_text = f"Cannot be changed: {tools} it. For another kind, add an attribute."


@admin.register(Attribute)
class AttributeAdmin(BaseAdmin[Attribute]):
    """Attributes in the order in which readers see them."""

    form = AttributeForm
    list_filter = ["kind", "group"]
    search_fields = ["name", "slug", "group"]

    def get_list_display(self, request: HttpRequest) -> list[str | Callable[[Any], str | bool]]:
        """The columns; the names of all categories are read once."""
        names = dict(Category.objects.values_list("pk", "name"))

        @admin.display(description="Asked in")
        def asked_in(row: Attribute) -> str:
            return ", ".join(names[key] for key in row.category_ids if key in names) or "All"

        return ["name", "group", "kind", asked_in, "position", "last_changed"]

    def save_fields(
        self,
        row: Attribute,
        names: list[str] | None,
        before: Mapping[str, object],
        reason: str = "",
    ) -> None:
        """Save; its categories are locked, so that nobody deletes them meanwhile."""
        if names is None or "category_ids" in names:
            hold(Category.objects.all(), row.category_ids)
        super().save_fields(row, names, before, reason)

    def has_delete_permission(self, request: HttpRequest, obj: Attribute | None = None) -> bool:
        """Only an attribute that no tool answers can be deleted, and never that of licences."""
        may: bool = super().has_delete_permission(request, obj)
        if obj and obj.slug == LICENCE:
            return False
        return may and not (obj and Fact.objects.filter(attribute=obj).exists())


@admin.register(Family)
class FamilyAdmin(BaseAdmin[Family]):
    """Families, which are added and changed where the family of a tool is chosen."""

    form = ConflictForm
    fields = ["name", "slug"]
    search_fields = ["name", "slug"]
    ordering = [Lower("name")]

    def has_delete_permission(self, request: HttpRequest, obj: Family | None = None) -> bool:
        """Only a family without tools can be deleted."""
        may: bool = super().has_delete_permission(request, obj)
        return may and not (obj and Tool.everything.filter(family=obj).exists())
