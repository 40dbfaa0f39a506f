"""Write docs/models.md: the models and what refers to what, as a diagram that GitHub draws.

`.venv/bin/python -m tests.models_picture`, after each change of a model; a test compares it.
"""

from django.db.models import ForeignKey

from shipskip.folders import BASE_DIR
from shipskip.web.key_lists import KeyListField
from tests.own_models import own_models

DOCUMENT = BASE_DIR / "docs" / "models.md"
HEAD = """# The models

Written by `python -m tests.models_picture` from the code: each line is a foreign key, or a list of
keys (many to many). Left out: the histories (each row that editors write has one), and Django's own
tables.

```mermaid
erDiagram
"""


def document() -> str:
    """The text of docs/models.md."""
    models = own_models()
    lines = []
    for model in models:
        name = model.__name__
        lines.append(f"    {name}")
        for field in model._meta.fields:
            if isinstance(field, KeyListField):
                other, line = field.row_model, "}o--o{"
            elif isinstance(field, ForeignKey) and field.related_model in models:
                other = field.related_model
                line = f"{'|o' if field.null else '||'}--{'o|' if field.unique else 'o{'}"
            else:
                continue
            lines.append(f"    {other.__name__} {line} {name} : {field.name}")
    return HEAD + "\n".join(lines) + "\n```\n"


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()
    DOCUMENT.write_text(document())
