"""Admin lists of users and groups: Django's own, with only their own filters allowed."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User

from shipskip.editing.list_admin import SoundListAdmin

admin.site.unregister([User, Group])


@admin.register(User)
class SoundUserAdmin(SoundListAdmin[User], UserAdmin):  # type: ignore[type-arg]
    """The users of the desk."""


@admin.register(Group)
class SoundGroupAdmin(SoundListAdmin[Group], GroupAdmin):
    """The groups, with their permissions."""
