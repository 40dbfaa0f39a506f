"""Django's admin lists of users and groups, which accept only the lookups of their own filters."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse

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

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """The list, under the name that the menu gives it."""
        return super().changelist_view(request, {"title": "Accounts"} | (extra_context or {}))


@admin.register(Group)
class GroupListAdmin(BaseAdmin[Group], GroupAdmin):
    """The groups of accounts, with their permissions."""

    actions = ()
