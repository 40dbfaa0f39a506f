"""The licence of a tool, a fact, which documents also have as the key `license` of the tool."""

from shipskip.catalogue.entries import ATTRIBUTE, TOOL
from shipskip.catalogue.rows import Values
from tools.fact_values import LICENCE, AttributeKind

LICENCES: Values = {"slug": LICENCE, "name": "Licence", "kind": "text", "position": 1000}
"""The attribute where neither the document nor the site has it."""


def licence_of(tool: Values) -> Values | None:
    """The fact that the key states; None without it, or if the tool's facts have a licence. It has
    no source, because that of another licence would be wrong.
    """
    facts = filter(None, tool.get("facts") or ())
    if not tool.get("license") or any(fact.get("attribute") == LICENCE for fact in facts):
        return None
    unsourced = {
        "note": "",
        "note_only_explains": False,
        "source": "",
        "quote": "",
        "checked": None,
    }
    return {"attribute": LICENCE, "value": tool["license"], **unsourced}


def with_text_licence(section: str, values: Values) -> Values:
    """An entry whose licence is a text; in earlier documents it may be one or more choices."""
    is_choice = values.get("kind") in (AttributeKind.CHOICE, AttributeKind.CHOICES)
    if section == ATTRIBUTE.name and values.get("slug") == LICENCE and is_choice:
        return values | {"kind": AttributeKind.TEXT.value, "choices": []}
    if section == TOOL.name and isinstance(values.get("license"), str):
        values["license"] = values["license"].strip()
    for fact in filter(None, (values.get("facts") or ()) if section == TOOL.name else ()):
        if fact.get("attribute") == LICENCE and isinstance(fact.get("value"), list):
            fact["value"] = ", ".join(map(str, fact["value"]))
    return values
