"""Admin lists of users and groups: Django's own, with only their own filters allowed."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User

from shipskip.editing.admin_base import BaseAdmin

admin.site.unregister([User, Group])


@admin.register(User)
class UserListAdmin(BaseAdmin[User], UserAdmin):  # type: ignore[type-arg]
    """Who may open the desk."""


@admin.register(Group)
class GroupListAdmin(BaseAdmin[Group], GroupAdmin):
    """What they may do there."""
