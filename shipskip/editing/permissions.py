"""Who may publish."""

from typing import Any

from django.contrib.auth import get_permission_codename
from django.db.models.options import Options
from django.http import HttpRequest


def may_publish(request: HttpRequest, options: "Options[Any]") -> bool:
    """Whether this editor may publish rows of a model."""
    codename = get_permission_codename("publish", options)
    return request.user.has_perm(f"{options.app_label}.{codename}")
