"""The rows of what is published (tools, takes, comparisons, categories, reviewers) at the desk."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.web.publishing import PublishedQuerySet
from tools.models import LINK_FIELDS, Category, Tool

ContentQuerySet = PublishedQuerySet[Any]


def content_rows(request: HttpRequest) -> list[ContentQuerySet]:
    """The rows of each kind that this editor may see, with what their names need."""
    kinds: list[ContentQuerySet] = [
        Tool.objects.all(),
        Take.objects.on_existing_tools().select_related("reviewer", "tool"),
        Comparison.objects.of_existing_tools().with_tools(*LINK_FIELDS),
        Category.objects.all(),
        Reviewer.objects.all(),
    ]
    return [rows for rows in kinds if may_see_rows(request, rows.model)]


def may_see_rows(request: HttpRequest, model: type[Model]) -> bool:
    """Whether this editor may see rows of this model."""
    return bool(admin.site.get_model_admin(model).has_view_permission(request))


def screen_url(model: type[Model], screen: str, *args: int) -> str:
    """The URL of a screen of a model: `changelist`, `change`, `history`."""
    options = model._meta
    return reverse(f"admin:{options.app_label}_{options.model_name}_{screen}", args=args)
