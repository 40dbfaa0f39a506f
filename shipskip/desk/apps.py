"""Django's admin, with our own site in it."""

from django.contrib.admin.apps import AdminConfig


class DeskConfig(AdminConfig):
    """Django's admin as the editors' desk."""

    default_site = "shipskip.desk.site.Desk"
