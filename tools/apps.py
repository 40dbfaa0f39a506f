"""The tools app: categories, tools and bookmarks."""

from django.apps import AppConfig


class ToolsConfig(AppConfig):
    """Categories, tools, bookmarks."""

    name = "tools"
