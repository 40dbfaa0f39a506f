"""Writes a large, valid catalogue: `python -m tests.catalogue.big PATH --tools 15000 --takes 4`."""

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


def prose(chance: random.Random, words: int) -> str:
    """A text of this number of words."""
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def reviewers(number: int) -> list[dict]:
    return [
        {"slug": f"reviewer-{at}", "name": f"Reviewer {at}", "position": at} for at in range(number)
    ]


def tools(number: int, takes: int, words: int = 90) -> Iterator[dict]:
    """This number of tools with this number of takes each, the same every time."""
    chance = random.Random(5)  # noqa: S311 - no secret
    for at in range(number):
        yield {
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


def comparisons(tools: int) -> list[dict]:
    return [{"tools": [f"tool-{at}", f"tool-{at + 1}"]} for at in range(0, tools - 1, 50)]


def write(path: Path, number: int, takes: int) -> None:
    """Write the document to a file, an entry at a time."""
    categories = [{"slug": f"category-{at}", "name": f"Category {at}"} for at in range(CATEGORIES)]
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"format": "shipskip-catalogue/3", "categories": {json.dumps(categories)},\n')
        file.write(f'"reviewers": {json.dumps(reviewers(takes))},\n')
        file.write('"tools": [')
        for at, tool in enumerate(tools(number, takes)):
            file.write((",\n" if at else "\n") + json.dumps(tool, ensure_ascii=False))
        file.write(f'],\n"comparisons": {json.dumps(comparisons(number))}}}\n')


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--tools", type=int, default=15_000)
    parser.add_argument("--takes", type=int, default=4)
    given = parser.parse_args()
    write(given.path, given.tools, given.takes)
