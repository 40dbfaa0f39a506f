"""The app config that replaces Django's admin site with ours."""

from django.contrib.admin.apps import AdminConfig


class DeskConfig(AdminConfig):
    """Django's admin with the Desk site as default."""

    default_site = "shipskip.desk.site.Desk"
