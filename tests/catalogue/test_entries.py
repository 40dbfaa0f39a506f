"""The entries of a document follow from the models."""

import json
from pathlib import Path

import pytest

from shipskip.catalogue.entries import KINDS, Catalogue

SCHEMA = Path("docs/catalogue.schema.json")


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_field_an_editor_fills_in_has_a_key(kind):
    """A field that a dump leaves out would be lost when a site moves."""
    editable = {field.attname for field in kind.model._meta.concrete_fields if field.editable}
    in_value = {"applies", "number", "yes_no", "text", "date"}
    if kind is KINDS["comparisons"]:
        editable -= {"position"}  # the order of the entries
        editable = editable - {"tool_list"} | {"tool_ids", "choose_if"}
    assert editable - {"id", "tool_id"} - in_value == set(kind.fields.values())


def write_schema() -> None:
    """Write the published schema."""
    text = json.dumps(Catalogue.model_json_schema(), indent=2, ensure_ascii=False)
    SCHEMA.write_text(f"{text}\n")


def test_the_published_schema_is_that_of_the_code():
    """docs/developers.md says how to write it again."""
    assert json.loads(SCHEMA.read_text()) == Catalogue.model_json_schema()
