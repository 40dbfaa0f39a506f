"""Random catalogues: dump, load and dump again give the same bytes. RANDOM_CATALOGUES says how many
are tried (20); try 300 before a release.
"""

import os
import random
from datetime import UTC, datetime
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
MARKDOWN = SYMBOLS + "\n\r"
NUMBER = int(os.environ.get("RANDOM_CATALOGUES", "20"))


class Catalogue:
    """A random, valid catalogue document; every key is given or left out by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - no secret

    def text(self, longest: int, symbols: str = SYMBOLS, least: int = 0) -> str:
        length = self.chance.choice([least, 1, self.chance.randint(least, longest), longest])
        found = "".join(self.chance.choices(symbols, k=min(length, 300)))
        return found if found.strip() or not least else "x"

    def line(self, longest: int) -> str:
        return self.text(longest, least=1)

    def moment(self) -> str | None:
        moment = datetime(2026, 5, 1, 9, tzinfo=UTC).timestamp()
        moment += self.chance.choice([0, 0.25, 86_400, -3_600 * 10_000])
        written = datetime.fromtimestamp(moment, UTC).isoformat()
        return self.chance.choice([None, written, written.replace("+00:00", "Z")])

    def some(self, **keys: Any) -> dict[str, Any]:
        return {name: value for name, value in keys.items() if self.chance.random() < 0.7}

    def source(self) -> dict[str, Any]:
        return self.some(
            note=self.text(200),
            source=self.chance.choice(["", "https://example.org/ü?a=1&b=[2]", "http://x.example"]),
            quote=self.text(300),
            checked=self.chance.choice([None, "2026-05-20", "1999-12-31"]),
        )

    def document(self) -> dict[str, Any]:
        categories = [f"category-{at}" for at in range(self.chance.randint(1, 3))]
        reviewers = [f"reviewer-{at}" for at in range(self.chance.randint(1, 4))]
        families = [f"family-{at}" for at in range(self.chance.randint(0, 2))]
        attributes = [self.attribute(at, categories) for at in range(self.chance.randint(0, 9))]
        slugs = [f"tool-{at}" for at in range(self.chance.randint(2, 6))]
        tools = [self.tool(slug, categories, reviewers, families, attributes) for slug in slugs]
        sets = {frozenset(self.chance.sample(slugs, k=2)) for _ in range(3)}
        sets |= {frozenset(slugs)}
        found = {
            "format": "shipskip-catalogue/3",
            "categories": [
                {"slug": slug, "name": self.line(120)}
                | self.some(description=self.text(500), published=self.moment())
                for slug in categories
            ],
            "reviewers": [self.reviewer(slug) for slug in reviewers],
            "attributes": attributes,
            "families": [{"slug": slug, "name": self.line(120)} for slug in families],
            "tools": tools,
            "comparisons": [self.comparison(sorted(each)) for each in sorted(map(sorted, sets))],
            "synonyms": [
                {"word": f"{self.line(40)} w{at}", "means": f"{self.line(90)} m{at}"}
                for at in range(self.chance.randint(0, 3))
            ],
        }
        names = [name for name in found if found[name] or self.chance.random() < 0.5]
        self.chance.shuffle(names)
        return {name: found[name] for name in names}

    def reviewer(self, slug: str) -> dict[str, Any]:
        return {"slug": slug, "name": self.line(120)} | self.some(
            motto=self.text(200),
            bio=self.text(900, MARKDOWN),
            likes=[self.line(120) for _ in range(self.chance.randint(0, 12))],
            dislikes=[self.line(120)],
            position=self.chance.choice([0, 1, 32_767]),
            sign=self.chance.choice(["", "visor", "beard"]),
            tint=self.chance.choice(["", "blue", "plum"]),
            published=self.moment(),
        )

    def attribute(self, at: int, categories: list[str]) -> dict[str, Any]:
        kind = self.chance.choice(["number", "yes-no", "choice", "choices", "text", "date"])
        row: dict[str, Any] = {"slug": f"attribute-{at}", "name": self.line(60), "kind": kind}
        if kind.startswith("choice"):
            row["choices"] = ["A, b", "Ω", "ß 🚀"]
        row |= self.some(
            group=self.text(60),
            help=self.text(200),
            position=self.chance.choice([1, 1, 7, 32_767]),
            categories=self.chance.sample(categories, k=self.chance.randint(0, len(categories))),
        )
        if kind == "number":
            row |= self.some(unit=self.text(24), better=self.chance.choice([None, "higher"]))
        return row

    def value(self, kind: str) -> Any:
        number = self.chance.choice([0, -1, 2021, 128_000, 10**12 - 1, 0.000001, 123456789.123456])
        return {
            "number": number,
            "yes-no": self.chance.random() < 0.5,
            "choice": self.chance.choice(["A, b", "Ω", "ß 🚀"]),
            "choices": self.chance.sample(["A, b", "Ω", "ß 🚀"], k=self.chance.randint(1, 3)),
            "text": self.line(200),
            "date": "2025-02-28",
        }[kind]

    def fact(self, attribute: dict[str, Any]) -> dict[str, Any]:
        value = {"value": self.value(attribute["kind"])}
        stated = self.chance.choice([value, value, {"value": None}, {"applies": False}])
        return {"attribute": attribute["slug"], **stated, **self.source()}

    def plan(self, at: int) -> dict[str, Any]:
        amount = self.chance.choice(["0", "0.00", "20.00", "0.000001", "999999999999", "1.5"])
        return {
            "name": f"{self.line(70)} {at}",
            "amount": amount,
            "currency": self.chance.choice(sorted(CURRENCIES)),
            "per": self.chance.choice(["month", "year", "once", "1M input tokens", "Sitz"]),
            **self.some(per_user=self.chance.random() < 0.5),
            **self.source(),
        }

    def take(self, reviewer: str) -> dict[str, Any]:
        published = self.moment()
        given = {
            "score": self.chance.choice([0, 50, 100]),
            "verdict": self.chance.choice(TakeVerdict.values),
        }
        if published is None:
            given = self.some(score=None, verdict=None) | self.some(**given)
        basis = self.chance.choice(["", *TakeBasis.values])
        return {
            "reviewer": reviewer,
            **given,
            "published": published,
            **self.some(basis=basis, body=self.text(900, MARKDOWN)),
        }

    def tool(
        self,
        slug: str,
        categories: list[str],
        reviewers: list[str],
        families: list[str],
        attributes: list[dict[str, Any]],
    ) -> dict[str, Any]:
        category = self.chance.choice(categories)
        asked = [row for row in attributes if category in (row.get("categories") or [category])]
        row: dict[str, Any] = {"slug": slug, "name": self.line(120), "category": category}
        row |= self.some(
            maker=self.text(120),
            website=self.chance.choice(["", "https://example.org/"]),
            tagline=self.text(160),
            description=self.text(900, MARKDOWN),
            best_for=self.text(200),
            relation=self.chance.choice(Relation.values),
            entry=self.chance.choice(EntryPrice.values),
            pricing=self.text(160),
            license=self.text(120),
            published=self.moment(),
            takes=[self.take(each) for each in reviewers if self.chance.random() < 0.7],
            label=self.text(24),
            family=self.chance.choice([None, *families]),
            former_slugs=[f"{slug}-was-{at}" for at in range(self.chance.randint(0, 3))],
            choose_if=self.text(140),
            facts=[self.fact(each) for each in asked if self.chance.random() < 0.8],
            plans=[self.plan(at) for at in range(self.chance.randint(0, 4))],
        )
        if follows := entry_price(Decimal(plan["amount"]) for plan in row.get("plans", ())):
            row["entry"] = str(follows)
        return row

    def comparison(self, tools: list[str]) -> dict[str, Any]:
        self.chance.shuffle(tools)
        texts = {slug: self.line(140) for slug in tools if self.chance.random() < 0.5}
        return {"tools": tools} | self.some(
            choose_if=texts,
            summary=self.text(900, MARKDOWN),
            featured=self.chance.random() < 0.5,
            published=self.moment(),
        )


@pytest.mark.django_db
@pytest.mark.parametrize("first", range(0, NUMBER, 20))
def test_a_random_catalogue_comes_back_with_the_same_bytes(first):
    for seed in range(first, first + 20):
        given = Catalogue(seed).document()
        load(as_file(given))
        text = dumped()
        empty_the_site()
        load(as_file(text))
        assert dumped() == text, seed
        assert not load(as_file(given), dry_run=True).changed_anything, seed
        empty_the_site()
