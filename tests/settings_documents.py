"""Write .env.example and the table of settings in docs/operations.md from shipskip/env.py.

`python -m tests.settings_documents`, after each change of a setting; a test compares them.
"""

from pathlib import Path
from textwrap import fill
from typing import Any

from pydantic import SecretStr

from shipskip.env import Env
from shipskip.folders import BASE_DIR

EXAMPLE = BASE_DIR / ".env.example"
MANUAL = BASE_DIR / "docs" / "operations.md"
BEGIN, END = "<!-- settings: written by tests.settings_documents -->", "<!-- end of settings -->"
HEAD = """# Copy this file: install -m 600 .env.example .env. Every line is optional.
# `manage.py doctor` checks all settings.
"""
TAIL = """
# These are read from the environment only:
#   DATA_DIR                the folder of this file, the database and var/: of a release the folder
#                           above releases/, else the checkout
#   HOST (127.0.0.1)        the address where `make serve` listens
#   WORKERS                 the number of processes (one for each core)
# `make test` reads TEST_POSTGRES_URL, a PostgreSQL server; default the one on 127.0.0.1:5432.
"""


def default_of(field: Any) -> str:
    """A default as it is written in `.env`; empty for a secret and for a path of this checkout."""
    value = field.default
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (SecretStr, Path)):
        return ""
    if isinstance(value, list):
        return ",".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def example() -> str:
    """The text of .env.example."""
    parts = []
    for name, field in Env.model_fields.items():
        about = fill(field.description, 98, initial_indent="# ", subsequent_indent="# ")
        given = "\n".join(f"#{name}={each}" for each in field.examples or ())
        parts.append(f"\n{about}\n{given or f'{name}={default_of(field)}'}\n")
    return HEAD + "".join(parts) + TAIL


def manual() -> str:
    """The text of docs/operations.md with the table of the settings as they are."""
    before, _, rest = MANUAL.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    rows = []
    for name, field in Env.model_fields.items():
        default = default_of(field)
        about = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{name}` | {f'`{default}`' if default else ''} | {about} |\n")
    table = "| setting | default | what it is |\n|---|---|---|\n" + "".join(rows)
    return f"{before}{BEGIN}\n\n{table}\n{END}{after}"


if __name__ == "__main__":
    EXAMPLE.write_text(example())
    MANUAL.write_text(manual())
