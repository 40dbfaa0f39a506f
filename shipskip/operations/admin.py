"""The desk's lists of accounts: Django's own, but asked by their own filters alone."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User

from shipskip.editing.list_admin import ListAdmin

admin.site.unregister([User, Group])


@admin.register(User)
class UserListAdmin(ListAdmin[User], UserAdmin):  # type: ignore[type-arg]
    """Who may open the desk."""


@admin.register(Group)
class GroupListAdmin(ListAdmin[Group], GroupAdmin):
    """What they may do there."""
