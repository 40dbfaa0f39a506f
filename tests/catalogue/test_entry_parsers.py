"""The document's limits are the models' own."""

import pytest
from django.core.exceptions import ValidationError
from django.db.models import Field, Model

from reviews.models import LONGEST_PHRASE, Take, validate_phrases
from shipskip.catalogue.entry_parsers import EntryParser
from shipskip.catalogue.fact_schema import ATTRIBUTE, FACT, FAMILY, PLAN
from shipskip.catalogue.schema import SECTIONS, TAKE, TOOL
from shipskip.catalogue.value_parsers import NullableParser, TextParser, WholeNumberParser
from tools.models import Attribute, Family, Plan, Tool


def test_a_phrase_may_be_as_long_as_the_reviewers_validator_allows():
    validate_phrases(["x" * LONGEST_PHRASE])
    with pytest.raises(ValidationError):
        validate_phrases(["x" * (LONGEST_PHRASE + 1)])


def test_required_keys_are_those_of_the_contract():
    parsers = {**SECTIONS, "takes": TAKE, "facts": FACT, "plans": PLAN}
    required = {
        name: [name for name, key in parser.keys.items() if key.required]
        for name, parser in parsers.items()
    }
    assert required == {
        "categories": ["slug", "name"],
        "reviewers": ["slug", "name"],
        "attributes": ["slug", "name", "kind"],
        "families": ["slug", "name"],
        "synonyms": ["word", "means"],
        "tools": ["slug", "name", "category"],
        "takes": ["reviewer"],
        "facts": ["attribute"],
        "plans": ["name", "amount", "currency", "per"],
        "comparisons": ["tools"],
    }


def test_every_field_an_editor_fills_in_has_a_key():
    parsers: list[tuple[EntryParser, type[Model]]] = [
        (TOOL, Tool), (TAKE, Take), (ATTRIBUTE, Attribute), (FAMILY, Family), (PLAN, Plan)
    ]  # fmt: skip
    for parser, model in parsers:
        editable = [field for field in model._meta.concrete_fields if field.editable]
        fields = {field.name.removesuffix("_ids") for field in editable} - {"id", "tool"}
        keys = {key.field for key in parser.keys.values()}
        keys = {"category" if key == "categories" else key for key in keys}
        rows = {"takes", "facts", "plans", "former_slugs"}
        assert keys - rows == fields - ({"position"} if model is Plan else set())


def test_limits_come_from_the_models():
    for name, key in TOOL.keys.items():
        if isinstance(key.parser, TextParser):
            field = Tool._meta.get_field(name)
            assert isinstance(field, Field)
            assert key.parser.longest == field.max_length
    assert TAKE.keys["score"].parser == NullableParser(WholeNumberParser(0, 100), None)
