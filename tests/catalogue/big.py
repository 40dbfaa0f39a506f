"""Writes a large, valid catalogue: `python -m tests.catalogue.big PATH --tools 15000 --takes 4`.

Each tool answers `--facts` attributes of its category, a third of which every category has.
"""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path

_TEXT = """
agent answer batch branch build cache chart check clean code commit context cost daily data deploy
diff draft edge edit editor error fast file first flow form free gentle graph guide hard honest
hour idea index input issue keep key language large later layer learn light limit local long loop
memory model month naïve next note open output page panel paper part patch plain plan point price
privé prompt proof quiet range read repo review right route rule safe scale score search second
shape ship short skip small speed stable stack step stream strong style table task team test text
token tool trace train trust type user value version weak week window word work write
"""
WORDS = _TEXT.split()


CATEGORIES = 20
KINDS = ("number", "yes-no", "choice", "choices", "text", "date")
CHOICES = ["Linux", "macOS", "Windows", "Android", "iOS"]
ENTRIES = {"free": ("0.00", "0.00"), "freemium": ("0.00", "20.00"), "paid": ("20.00", "99.50")}


def prose(chance: random.Random, words: int) -> str:
    """A text of this number of words."""
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def reviewers(number: int) -> list[dict]:
    return [
        {"slug": f"reviewer-{at}", "name": f"Reviewer {at}", "position": at} for at in range(number)
    ]


def asked_attributes(category: int, number: int) -> list[str]:
    """The slugs of this number of attributes that are asked in a category."""
    common = number // 3
    own = [f"attribute-{category}-{at}" for at in range(common, number)]
    return [f"attribute-{at}" for at in range(common)] + own


def attributes(number: int) -> list[dict]:
    """Attributes for all categories, this number in each; those of each group of six differ in
    kind.
    """
    found: dict[str, dict] = {}
    for category in range(CATEGORIES):
        for at, slug in enumerate(asked_attributes(category, number)):
            kind = KINDS[at % 6]
            only = [f"category-{category}"] if slug.count("-") == 2 else []
            row: dict[str, object] = {
                "slug": slug,
                "name": f"Attribute {at}",
                "group": f"Group {at // 6}",
            }
            row |= {"kind": kind, "categories": only, "position": at + 1}
            row |= {"unit": "GB", "better": "higher"} if kind == "number" else {}
            found[slug] = row | ({"choices": CHOICES} if kind.startswith("choice") else {})
    return list(found.values())


def facts(chance: random.Random, tool: int, number: int) -> list[dict]:
    """A tool's answers; the maker is silent on every tenth."""
    found: list[dict] = []
    for at, slug in enumerate(asked_attributes(tool % CATEGORIES, number)):
        value: object = {
            "number": chance.randint(1, 9_000_000) / 10,
            "yes-no": chance.random() < 0.5,
            "choice": chance.choice(CHOICES),
            "choices": chance.sample(CHOICES, 2),
            "text": prose(chance, 4),
            "date": f"2025-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
        }[KINDS[at % 6]]
        source = f"https://example.org/tools/{tool}/docs/{at % 5}"
        fact = {"attribute": slug, "value": None if chance.random() < 0.1 else value}
        found.append(fact | {"note": "", "source": source, "checked": "2026-05-20"})
    return found


def plans(entry: str) -> list[dict]:
    """Two plans from which this entry price follows."""
    return [
        {"name": name, "amount": amount, "currency": "USD", "per": "month", "per_user": at == 1}
        | {"note": "", "source": "https://example.org/prices", "checked": "2026-05-20"}
        for at, (name, amount) in enumerate(zip(("Start", "Team"), ENTRIES[entry], strict=True))
    ]


def tools(number: int, takes: int, words: int = 90, answers: int = 0) -> Iterator[dict]:
    """This number of tools with this number of takes and facts each, the same every time; those
    with facts have plans too.
    """
    chance = random.Random(5)  # noqa: S311 - no secret
    answering = random.Random(6)  # noqa: S311 - no secret
    for at in range(number):
        row = {
            "slug": f"tool-{at}",
            "name": f"Tool {at}",
            "category": f"category-{at % CATEGORIES}",
            "maker": prose(chance, 2),
            "website": f"https://example.org/tools/{at}",
            "tagline": prose(chance, 6),
            "description": prose(chance, 120),
            "entry": chance.choice(["free", "freemium", "paid"]),
            "pricing": "Pro $20/mo / Business $40/mo",
            "published": f"2026-05-{1 + at % 28:02}T09:00:00Z",
            "takes": [
                {
                    "reviewer": f"reviewer-{by}",
                    "score": chance.randint(0, 100),
                    "verdict": chance.choice(["ship", "skip"]),
                    "body": prose(chance, words),
                    "published": "2026-05-01T09:00:00Z",
                }
                for by in range(takes)
            ],
        }
        if answers:
            row |= {"facts": facts(answering, at, answers), "plans": plans(str(row["entry"]))}
        yield row


def comparisons(tools: int) -> list[dict]:
    return [{"tools": [f"tool-{at}", f"tool-{at + 1}"]} for at in range(0, tools - 1, 50)]


def write(path: Path, number: int, takes: int, answers: int) -> None:
    """Write the document to a file, an entry at a time."""
    categories = [{"slug": f"category-{at}", "name": f"Category {at}"} for at in range(CATEGORIES)]
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"format": "shipskip-catalogue/3", "categories": {json.dumps(categories)},\n')
        file.write(f'"reviewers": {json.dumps(reviewers(takes))},\n')
        file.write(f'"attributes": {json.dumps(attributes(answers))},\n"tools": [')
        for at, tool in enumerate(tools(number, takes, answers=answers)):
            file.write((",\n" if at else "\n") + json.dumps(tool, ensure_ascii=False))
        file.write(f'],\n"comparisons": {json.dumps(comparisons(number))}}}\n')


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--tools", type=int, default=15_000)
    parser.add_argument("--takes", type=int, default=4)
    parser.add_argument("--facts", type=int, default=30)
    given = parser.parse_args()
    write(given.path, given.tools, given.takes, given.facts)
