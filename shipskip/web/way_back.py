"""The address to which a form of a public page leads back."""

from django.template.context import Context


def way_back(context: Context) -> str:
    """The path of the page that is rendered, with a reader's own weights."""
    request, own = context.get("request"), context.get("own")
    path = request.path if request else ""
    return f"{path}{own.query}" if own else path
