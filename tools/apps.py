"""The tools app: categories, tools and the addresses they once had."""

from django.apps import AppConfig


class ToolsConfig(AppConfig):
    """Categories, tools, bookmarks."""

    name = "tools"
