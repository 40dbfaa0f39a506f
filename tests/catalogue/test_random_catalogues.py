"""Random catalogues come back with the same bytes; good files with random values in random places
are loaded or refused.
"""

import copy
import csv
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.models import TakeBasis, TakeVerdict
from shipskip.catalogue.faults import InvalidFileError, Path
from shipskip.catalogue.files import CATALOGUE, KINDS, FileKind
from shipskip.web.text import FORBIDDEN_CHARACTERS
from tests.catalogue.documents import as_file, dumped, load, rows
from tests.catalogue.test_faults import good_document
from tests.malformed_input.junk import ESCAPES, PARSED, REFUSABLE
from tools.currencies import CURRENCIES
from tools.models import EntryPrice, Plan, entry_price
from tools.relations import Relation

SYMBOLS = (
    "aZ9 .,;:-+=@'\"&|*_(){}#/\\%$€éñßøΩя中文ひ שלום مرحبا 🚀👩\u200d💻\u200f\u2066\u2028\u00a0\t"
)
CHOICES = ["A, b", "Ω", "ß 🚀"]
MOMENTS = [
    None,
    "1996-02-29T23:00:00.25+00:00",
    "2026-05-01T09:00:00Z",
    "2026-05-02T09:00:00+02:00",
]
YES_NO = [True, False]
VALUES: dict[str, Any] = {
    "number": [0, -1, 2021, 128_000, 10**12 - 1, 0.000001, 123456789.123456],
    "yes-no": YES_NO,
    "choice": CHOICES,
    "choices": [CHOICES[:1], CHOICES[::2], CHOICES[::-1]],
    "text": 200,
    "date": ["2025-02-28"],
}
SOURCE = {
    "note": 200,
    "source": ["", "https://example.org/ü?a=1&b=[2]", "http://x.example"],
    "quote": 300,
    "checked": [None, "2026-05-20", "1999-12-31"],
}
KEYS: dict[str, dict[str, Any]] = {
    "category": {"description": 500, "published": MOMENTS},
    "reviewer": {
        "motto": 200,
        "bio": "lines",
        "position": [0, 1, 32_767],
        "sign": ["", "visor", "beard"],
        "tint": ["", "blue", "plum"],
        "published": MOMENTS,
    },
    "attribute": {"group": 60, "help": 200, "position": [1, 1, 7, 32_767]},
    "number": {"unit": 24, "better": [None, "higher"]},
    "plan": {"per_user": YES_NO} | SOURCE,
    "take": {"basis": ["", *TakeBasis.values], "body": "lines"},
    "tool": {
        "maker": 120,
        "website": ["", "https://example.org/"],
        "tagline": 160,
        "description": "lines",
        "best_for": 200,
        "relation": Relation.values,
        "entry": EntryPrice.values,
        "pricing": 160,
        "license": 120,
        "published": MOMENTS,
        "label": 24,
        "choose_if": 140,
    },
    "comparison": {"summary": "lines", "featured": YES_NO, "published": MOMENTS},
}
"""The keys that an entry may have: the length of a text, or the values to choose from."""


class Catalogue:
    """A random, valid catalogue document; every key is given or left out by chance."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.categories = self.slugs("category", 1, 3)
        self.reviewers = self.slugs("reviewer", 1, 4)
        self.families = self.slugs("family", 0, 2)
        self.tools = self.slugs("tool", 4, 8)
        self.attributes = [self.attribute(slug) for slug in self.slugs("attribute", 4, 12)]

    def slugs(self, kind: str, least: int, most: int) -> list[str]:
        return [f"{kind}-{at}" for at in range(self.chance.randint(least, most))]

    def line(self, longest: int, symbols: str = SYMBOLS) -> str:
        """A text that is not blank."""
        length = min(self.chance.choice([1, self.chance.randint(1, longest), longest]), 300)
        found = "".join(self.chance.choices(symbols, k=length))
        return found if found.strip() else "x"

    def value(self, of: Any) -> Any:
        if isinstance(of, int):
            return self.line(of)
        if of == "lines":
            return self.chance.choice(["", self.line(900, f"{SYMBOLS}\n\r")])
        return self.chance.choice(of)

    def some(self, keys: dict[str, Any]) -> dict[str, Any]:
        return {name: self.value(of) for name, of in keys.items() if self.chance.random() < 0.7}

    def named(self, slug: str) -> dict[str, Any]:
        """An entry with a slug and a name, and some of its kind's other keys."""
        kind = slug.rpartition("-")[0]
        return {"slug": slug, "name": self.line(60)} | self.some(KEYS.get(kind, {}))

    def document(self) -> dict[str, Any]:
        pairs = {tuple(sorted(self.chance.sample(self.tools, k=2))) for _ in range(3)}
        phrases = {"likes": [[self.line(120) for _ in range(9)], []], "dislikes": [["a, b"]]}
        found = {
            "format": "shipskip-catalogue/3",
            "categories": [self.named(slug) for slug in self.categories],
            "reviewers": [self.named(slug) | self.some(phrases) for slug in self.reviewers],
            "attributes": self.attributes,
            "families": [self.named(slug) for slug in self.families],
            "tools": [self.tool(slug) for slug in self.tools],
            "comparisons": [self.comparison(each) for each in sorted({*pairs, (*self.tools,)})],
            "synonyms": [
                {"word": f"{self.line(40)} {slug}", "means": f"{self.line(80)} of {slug}"}
                for slug in self.slugs("w", 0, 3)
            ],
        }
        names = [name for name in found if found[name] or self.chance.random() < 0.5]
        self.chance.shuffle(names)
        return {name: found[name] for name in names}

    def attribute(self, slug: str) -> dict[str, Any]:
        kind = self.chance.choice([*VALUES])
        row = self.named(slug) | {"kind": kind} | self.some(KEYS.get(kind, {}))
        if kind.startswith("choice"):
            row["choices"] = CHOICES
        return row | self.some({"categories": [[], self.categories[:1], self.categories]})

    def fact(self, attribute: dict[str, Any]) -> dict[str, Any]:
        value = {"value": self.value(VALUES[attribute["kind"]])}
        stated = self.chance.choice([value, value, {"value": None}, {"applies": False}])
        return {"attribute": attribute["slug"]} | stated | self.some(SOURCE)

    def plan(self, slug: str) -> dict[str, Any]:
        amounts = ["0", "0.00", "20.00", "0.000001", "999999999999", "1.5"]
        return {
            "name": f"{self.line(70)} {slug}",
            "amount": self.chance.choice(amounts),
            "currency": self.chance.choice(sorted(CURRENCIES)),
            "per": self.chance.choice(["month", "year", "once", "1M input tokens", "Sitz"]),
        } | self.some(KEYS["plan"])

    def take(self, reviewer: str) -> dict[str, Any]:
        take = {"reviewer": reviewer, "published": self.value(MOMENTS)} | self.some(KEYS["take"])
        judged = {"score": [0, 50, 100], "verdict": TakeVerdict.values}
        if take["published"] is None:
            return take | self.some({"score": [None], "verdict": [None]}) | self.some(judged)
        return take | {name: self.value(of) for name, of in judged.items()}

    def tool(self, slug: str) -> dict[str, Any]:
        category = self.chance.choice(self.categories)
        asked = [
            row for row in self.attributes if category in (row.get("categories") or [category])
        ]
        lists = {
            "takes": [self.take(each) for each in self.reviewers if self.chance.random() < 0.7],
            "former_slugs": self.slugs(f"{slug}-was", 0, 3),
            "facts": [self.fact(each) for each in asked if self.chance.random() < 0.8],
            "plans": [self.plan(each) for each in self.slugs("plan", 0, 4)],
            "family": self.chance.choice([None, *self.families]),
        }
        row = self.named(slug) | {"category": category}
        row |= self.some({name: [value] for name, value in lists.items()})
        plans = [
            Plan(amount=Decimal(plan["amount"]), currency=plan["currency"], per=plan["per"])
            for plan in row.get("plans", ())
        ]
        if follows := entry_price(plans):
            row["entry"] = str(follows)
        return row

    def comparison(self, tools: tuple[str, ...]) -> dict[str, Any]:
        shuffled = self.chance.sample(tools, k=len(tools))
        texts = self.some(dict.fromkeys(shuffled, 140))
        return {"tools": shuffled} | self.some(KEYS["comparison"] | {"choose_if": [texts]})


@pytest.mark.django_db
@settings(max_examples=2 * settings().max_examples)
@given(st.randoms(use_true_random=True))
def test_a_random_catalogue_comes_back_with_the_same_bytes(chance):
    given = Catalogue(chance).document()
    with transaction.atomic():
        load(as_file(given))
        text = dumped()
        transaction.set_rollback(True)
    with transaction.atomic():
        load(as_file(text))
        assert dumped() == text
        assert not load(as_file(given), dry_run=True).changed_anything
        transaction.set_rollback(True)


# --- Random values in a good file ------------------------------------------------------------

NAMED = [each.decode(errors="surrogateescape") for each in (*ESCAPES, *REFUSABLE, *PARSED)]
TEXTS = st.text(st.characters(), max_size=20) | st.sampled_from(NAMED)
MISSING = object()
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
BYTES = st.tuples(st.floats(0, 1), st.binary(max_size=4))
"""Where in a file, as a share of its length, and what is put there."""


def values_of(given: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each value within a list or an object, the innermost first, with its path."""
    steps = given.items() if isinstance(given, dict) else ()
    for step, value in enumerate(given) if isinstance(given, list) else steps:
        yield from values_of(value, (*path, step))
        yield (*path, step), value


def put_at(given: Any, path: Path, value: Any) -> None:
    *parents, last = path
    for step in parents:
        given = given[step]
    if value is MISSING and isinstance(given, dict):
        del given[last]
    else:
        given[last] = None if value is MISSING else value


def written(kind: FileKind, content: Any, *, ascii_only: bool) -> str:
    """The text of a file of this kind; the content of a CSV file is a list of its rows."""
    if kind is CATALOGUE:
        return json.dumps(content, ensure_ascii=ascii_only)
    text = io.StringIO(newline="")
    csv.writer(text).writerows(row if isinstance(row, list) else [row] for row in content)
    return text.getvalue()


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_good_file_with_random_values_is_loaded_or_refused_with_the_place_of_each_fault(kind):
    load(as_file(good_document()))
    text, before = "".join(kind.dump()), rows()
    good = json.loads(text) if kind is CATALOGUE else [*csv.reader(io.StringIO(text, newline=""))]
    paths, own_values = zip(*values_of(good), strict=True)
    values = JSON_VALUES | st.sampled_from([MISSING, *own_values])
    changes = st.dictionaries(st.sampled_from(paths), values, max_size=3)

    @settings(max_examples=12 * settings().max_examples)
    @given(changes, st.booleans(), st.just("utf-8") | st.just("utf-16"), st.none() | BYTES)
    def load_it(changes, ascii_only, encoding, put):
        content = copy.deepcopy(good)
        for path in sorted(changes, key=paths.index):
            put_at(content, path, changes[path])
        file = written(kind, content, ascii_only=ascii_only).encode(encoding, "surrogatepass")
        if put:
            at = int(put[0] * len(file))
            file = file[:at] + put[1] + file[at:]
        faults = None
        try:
            with transaction.atomic():
                load(as_file(file), kind=kind)
                assert not load(as_file(dumped())).changed_anything
                transaction.set_rollback(True)
        except InvalidFileError as refused:
            faults = refused.faults
        assert faults is None or faults
        for fault in faults or ():
            assert fault.place
            assert not FORBIDDEN_CHARACTERS.search(str(fault)), "a terminal shows it"
        assert rows() == before

    load_it()
