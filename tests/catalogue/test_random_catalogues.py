"""Random catalogues: dump, load and dump again give the same bytes. RANDOM_CATALOGUES says how many
are tried (6); try 300 before a release.
"""

import os
import random
from decimal import Decimal
from typing import Any

import pytest

from reviews.models import TakeBasis, TakeVerdict
from tests.catalogue.documents import as_file, dumped, empty_the_site, load
from tools.currencies import CURRENCIES
from tools.models import EntryPrice, entry_price
from tools.relations import Relation

SYMBOLS = (
    "aZ9 .,;:-+=@'\"&|*_(){}#/\\%$€éñßøΩя中文ひ שלום مرحبا 🚀👩\u200d💻\u200f\u2066\u2028\u00a0\t"
)
NUMBER = int(os.environ.get("RANDOM_CATALOGUES", "6"))
CHOICES = ["A, b", "Ω", "ß 🚀"]
MOMENTS = [
    None,
    "1996-02-29T23:00:00.25+00:00",
    "2026-05-01T09:00:00Z",
    "2026-05-02T09:00:00+02:00",
]
DAYS = [None, "2026-05-20", "1999-12-31"]


class Catalogue:
    """A random, valid catalogue document; every key is given or left out by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - no secret
        self.one = self.chance.choice
        self.categories = self.slugs("category", 1, 3)
        self.reviewers = self.slugs("reviewer", 1, 4)
        self.families = self.slugs("family", 0, 2)
        self.tools = self.slugs("tool", 4, 8)
        self.attributes = [self.attribute(slug) for slug in self.slugs("attribute", 4, 12)]

    def slugs(self, kind: str, least: int, most: int) -> list[str]:
        return [f"{kind}-{at}" for at in range(self.chance.randint(least, most))]

    def line(self, longest: int, symbols: str = SYMBOLS) -> str:
        """A text that is not blank."""
        length = min(self.one([1, self.chance.randint(1, longest), longest]), 300)
        found = "".join(self.chance.choices(symbols, k=length))
        return found if found.strip() else "x"

    def text(self, longest: int) -> str:
        """A text of several lines, or none."""
        return self.one(["", self.line(longest, f"{SYMBOLS}\n\r")])

    def some(self, **keys: Any) -> dict[str, Any]:
        return {name: value for name, value in keys.items() if self.chance.random() < 0.7}

    def source(self) -> dict[str, Any]:
        return self.some(
            note=self.line(200),
            source=self.one(["", "https://example.org/ü?a=1&b=[2]", "http://x.example"]),
            quote=self.line(300),
            checked=self.one(DAYS),
        )

    def document(self) -> dict[str, Any]:
        sets = {frozenset(self.chance.sample(self.tools, k=2)) for _ in range(3)}
        sets.add(frozenset(self.tools))
        found = {
            "format": "shipskip-catalogue/3",
            "categories": [
                {"slug": slug, "name": self.line(120)}
                | self.some(description=self.line(500), published=self.one(MOMENTS))
                for slug in self.categories
            ],
            "reviewers": [self.reviewer(slug) for slug in self.reviewers],
            "attributes": self.attributes,
            "families": [{"slug": slug, "name": self.line(120)} for slug in self.families],
            "tools": [self.tool(slug) for slug in self.tools],
            "comparisons": [self.comparison(sorted(each)) for each in sorted(map(sorted, sets))],
            "synonyms": [
                {"word": f"{self.line(40)} {slug}", "means": f"{self.line(80)} of {slug}"}
                for slug in self.slugs("w", 0, 3)
            ],
        }
        names = [name for name in found if found[name] or self.chance.random() < 0.5]
        self.chance.shuffle(names)
        return {name: found[name] for name in names}

    def reviewer(self, slug: str) -> dict[str, Any]:
        return {"slug": slug, "name": self.line(120)} | self.some(
            motto=self.line(200),
            bio=self.text(900),
            likes=[self.line(120) for _ in range(self.chance.randint(0, 12))],
            dislikes=[self.line(120)],
            position=self.one([0, 1, 32_767]),
            sign=self.one(["", "visor", "beard"]),
            tint=self.one(["", "blue", "plum"]),
            published=self.one(MOMENTS),
        )

    def attribute(self, slug: str) -> dict[str, Any]:
        kind = self.one(["number", "yes-no", "choice", "choices", "text", "date"])
        row: dict[str, Any] = {"slug": slug, "name": self.line(60), "kind": kind}
        if kind.startswith("choice"):
            row["choices"] = CHOICES
        if kind == "number":
            row |= self.some(unit=self.line(24), better=self.one([None, "higher"]))
        return row | self.some(
            group=self.line(60),
            help=self.line(200),
            position=self.one([1, 1, 7, 32_767]),
            categories=self.one([[], self.categories[:1], self.categories]),
        )

    def fact(self, attribute: dict[str, Any]) -> dict[str, Any]:
        numbers = [0, -1, 2021, 128_000, 10**12 - 1, 0.000001, 123456789.123456]
        values: dict[str, list[Any]] = {
            "number": numbers,
            "yes-no": [True, False],
            "choice": CHOICES,
            "choices": [CHOICES[:1], CHOICES[::2], CHOICES[::-1]],
            "text": [self.line(200)],
            "date": ["2025-02-28"],
        }
        value: dict[str, Any] = {"value": self.one(values[attribute["kind"]])}
        stated = self.one([value, value, {"value": None}, {"applies": False}])
        return {"attribute": attribute["slug"], **stated, **self.source()}

    def plan(self, slug: str) -> dict[str, Any]:
        return {
            "name": f"{self.line(70)} {slug}",
            "amount": self.one(["0", "0.00", "20.00", "0.000001", "999999999999", "1.5"]),
            "currency": self.one(sorted(CURRENCIES)),
            "per": self.one(["month", "year", "once", "1M input tokens", "Sitz"]),
            **self.some(per_user=self.one([True, False])),
            **self.source(),
        }

    def take(self, reviewer: str) -> dict[str, Any]:
        published = self.one(MOMENTS)
        given = {"score": self.one([0, 50, 100]), "verdict": self.one(TakeVerdict.values)}
        if published is None:
            given = self.some(score=None, verdict=None) | self.some(**given)
        basis = self.one(["", *TakeBasis.values])
        more = self.some(basis=basis, body=self.text(900))
        return {"reviewer": reviewer, "published": published} | given | more

    def tool(self, slug: str) -> dict[str, Any]:
        category = self.one(self.categories)
        asked = [
            row for row in self.attributes if category in (row.get("categories") or [category])
        ]
        row: dict[str, Any] = {"slug": slug, "name": self.line(120), "category": category}
        row |= self.some(
            maker=self.line(120),
            website=self.one(["", "https://example.org/"]),
            tagline=self.line(160),
            description=self.text(900),
            best_for=self.line(200),
            relation=self.one(Relation.values),
            entry=self.one(EntryPrice.values),
            pricing=self.line(160),
            license=self.one(["", self.line(120)]),
            published=self.one(MOMENTS),
            takes=[self.take(each) for each in self.reviewers if self.chance.random() < 0.7],
            label=self.line(24),
            family=self.one([None, *self.families]),
            former_slugs=self.slugs(f"{slug}-was", 0, 3),
            choose_if=self.line(140),
            facts=[self.fact(each) for each in asked if self.chance.random() < 0.8],
            plans=[self.plan(each) for each in self.slugs("plan", 0, 4)],
        )
        if follows := entry_price(Decimal(plan["amount"]) for plan in row.get("plans", ())):
            row["entry"] = str(follows)
        return row

    def comparison(self, tools: list[str]) -> dict[str, Any]:
        self.chance.shuffle(tools)
        texts = {slug: self.line(140) for slug in tools if self.chance.random() < 0.5}
        return {"tools": tools} | self.some(
            choose_if=texts,
            summary=self.text(900),
            featured=self.one([True, False]),
            published=self.one(MOMENTS),
        )


@pytest.mark.django_db
def test_a_random_catalogue_comes_back_with_the_same_bytes():
    for seed in range(NUMBER):
        given = Catalogue(seed).document()
        load(as_file(given))
        text = dumped()
        empty_the_site()
        load(as_file(text))
        assert dumped() == text, seed
        assert not load(as_file(given), dry_run=True).changed_anything, seed
        empty_the_site()
