"""The faults that pydantic finds, as sentences that say what is wrong and what would do."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from shipskip.catalogue.entries import Entry
from shipskip.catalogue.faults import Path, did_you_mean, quoted

Schema = Mapping[str, Any]

SENTENCES = {
    "missing": "is missing; give {accepted}",
    "blank": "is empty; give {accepted}",
    "string_too_short": "is empty; give {accepted}",
    "string_too_long": "is {length:,} characters long; at most {max_length:,} are allowed",
    "string_unicode": "contains half a character (an unpaired surrogate); remove it",
    "greater_than_equal": "{value} is not between {minimum} and {maximum}",
    "less_than_equal": "{value} is not between {minimum} and {maximum}",
    "too_long": "has {length:,} entries; at most {max_length:,} are allowed",
    "too_short": "is too short; give {accepted}",
    "refused": "{sentence}",
}
"""Our sentences by pydantic's types of errors."""
OTHER = "{value} is not {accepted}"
"""The sentence of every other type: a value of another kind."""


def faults_of(
    error: ValidationError, model: type[Entry], null: str = "null"
) -> Iterator[tuple[Path, str]]:
    """The place and the sentence of each error of an entry; `null` is what the file calls it."""
    yield from _faults(error, schema_of(model), null)


def first_fault(error: ValidationError, adapter: TypeAdapter[Any]) -> tuple[Path, str]:
    """The place within a value and the sentence of its first error."""
    return next(_faults(error, adapter.json_schema(), "null"))


def _faults(error: ValidationError, schema: Schema, null: str) -> Iterator[tuple[Path, str]]:
    for each in error.errors(include_url=False):
        path, value = each["loc"], each["input"]
        if each["type"] == "extra_forbidden":
            yield path, _unknown_key(str(path[-1]), _at(schema, schema, path[:-1]))
            continue
        own = _at(schema, schema, path)
        limits = own.get("anyOf", [own])[0]
        given = {name: limits.get(name) for name in ("minimum", "maximum")}
        given |= each.get("ctx", {}) | {"value": quoted(value), "accepted": accepted(own, null)}
        given["length"] = len(value) if isinstance(value, str | list | dict) else 0
        yield path, SENTENCES.get(each["type"], OTHER).format(**given)


@cache
def schema_of(model: type[Entry]) -> Schema:
    """The JSON Schema of a kind of entry."""
    return model.model_json_schema()


def accepted(schema: Schema, null: str = "null") -> str:
    """The accepted values of a key, in words that follow “is not” or “give”."""
    if "description" in schema:
        return str(schema["description"])
    if "anyOf" in schema:
        return f"{accepted(schema['anyOf'][0])}, or {null}"
    if "enum" in schema or "const" in schema:
        words = [quoted(word) for word in schema.get("enum", [schema.get("const")])]
        return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    if schema.get("type") == "integer":
        return f"a whole number between {schema['minimum']} and {schema['maximum']}"
    if schema.get("type") == "boolean":
        return "true or false"
    if schema.get("type") == "object":
        return f"{_with_article(schema)}, an object with the keys {', '.join(schema['required'])}"
    least = "1 to" if schema.get("minLength") else "at most"
    return f"a text of {least} {schema.get('maxLength', 0):,} characters"


def _unknown_key(name: str, schema: Schema) -> str:
    known = list(schema["properties"])
    hint = did_you_mean(name, known) or f"; its keys are {', '.join(known)}"
    return f"is not a key of {_with_article(schema)}{hint}"


def _with_article(schema: Schema) -> str:
    title = schema["title"]
    return f"{'an' if title[0] in 'aeiou' else 'a'} {title}"


def _at(root: Schema, schema: Schema, path: Path) -> Schema:
    """The schema of the value that a path leads to."""
    for step in path:
        schema = _resolved(root, schema)
        if isinstance(step, int):
            schema = schema.get("items", {})
        else:
            schema = schema.get("properties", {}).get(step) or schema["additionalProperties"]
    if "items" in schema or "anyOf" in schema:
        return schema
    return _resolved(root, schema)


def _resolved(root: Schema, schema: Schema) -> Schema:
    if "anyOf" in schema:
        schema = schema["anyOf"][0]
    reference = schema.get("$ref", "").rpartition("/")[2]
    return root["$defs"][reference] if reference else schema
