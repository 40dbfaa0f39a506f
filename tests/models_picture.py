"""Write docs/models.md: the models and what refers to what, as a diagram that GitHub draws.

`.venv/bin/python -m tests.models_picture`, after each change of a model; a test compares it.
"""

from django.apps import apps
from django.db.models import ForeignKey, Model

from shipskip.folders import BASE_DIR

DOCUMENT = BASE_DIR / "docs" / "models.md"
OURS = ("tools", "reviews", "comparisons", "reports", "newsletter", "limits", "search", "jobs")
HEAD = """# The models

Written by `python -m tests.models_picture` from the code: each line is a foreign key. Left out: the
histories (each row that editors write has one), and Django's own tables.

```mermaid
erDiagram
"""


def models() -> list[type[Model]]:
    """The models of our apps, without their histories."""
    return [
        model
        for label in OURS
        for model in apps.get_app_config(label).get_models()
        if not model.__name__.startswith("Historical")
    ]


def document() -> str:
    """The text of docs/models.md."""
    lines = []
    for model in models():
        lines.append(f"    {model.__name__}")
        lines += [
            f"    {field.related_model.__name__} ||--o{{ {model.__name__} : {field.name}"
            for field in model._meta.get_fields()
            if isinstance(field, ForeignKey) and field.related_model in models()
        ]
    return HEAD + "\n".join(lines) + "\n```\n"


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()
    DOCUMENT.write_text(document())
