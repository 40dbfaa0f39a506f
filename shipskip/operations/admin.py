"""Django's admin lists of users and groups, which accept only the lookups of their own filters."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User

from shipskip.editing.admin_base import BaseAdmin

admin.site.unregister([User, Group])


class GroupFilter(admin.RelatedFieldListFilter):
    """The groups, without the link to accounts in none: the list refuses its lookup."""

    include_empty_choice = False


@admin.register(User)
class UserListAdmin(BaseAdmin[User], UserAdmin):  # type: ignore[type-arg]
    """The accounts that may open the desk."""

    actions = ()
    list_filter = ["is_staff", "is_superuser", "is_active", ("groups", GroupFilter)]
    extra_lookups = ("groups__id__exact",)
    readonly_fields = ["last_login", "date_joined"]


@admin.register(Group)
class GroupListAdmin(BaseAdmin[Group], GroupAdmin):
    """The groups of accounts, with their permissions."""

    actions = ()
