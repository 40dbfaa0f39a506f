"""models.dev: models and their makers' prices, as TOML files in a public repository.

A model is a file of `models/<maker>/`, or one of the maker's own `providers/<maker>/models/`. What
other providers ask for it does not count: they quote, and many are out of date.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote as url_quoted

from django.core.exceptions import ValidationError

from shipskip.catalogue.answers import amount_text
from shipskip.catalogue.sources.clone import Clone, Commit, UnreadableFileError
from shipskip.catalogue.sources.source import (
    Reading,
    Source,
    SourceTool,
    UnusableFolderError,
    Values,
)
from tools.fact_values import DECIMAL_PLACES
from tools.models import EntryPrice, Tool
from tools.models.sources import LONGEST_QUOTE
from tools.source_names import without_tracking
from tools.tool_status import ToolStatus

REPOSITORY = "https://github.com/anomalyco/models.dev"
CATEGORY = "models"
ONLY_MONTH = "The source names the month only."


class Maker(NamedTuple):
    """A maker of models: its name, and the folder of its own prices among the providers."""

    name: str
    provider: str = ""


MAKERS = {
    "alibaba": Maker("Alibaba", "alibaba"),
    "anthropic": Maker("Anthropic", "anthropic"),
    "bailing": Maker("Ant Group", "bailing"),
    "cohere": Maker("Cohere", "cohere"),
    "deepreinforce": Maker("DeepReinforce"),
    "deepseek": Maker("DeepSeek", "deepseek"),
    "google": Maker("Google", "google"),
    "inception": Maker("Inception", "inception"),
    "meta": Maker("Meta", "llama"),
    "minimax": Maker("MiniMax", "minimax"),
    "mistral": Maker("Mistral AI", "mistral"),
    "moonshotai": Maker("Moonshot AI", "moonshotai"),
    "morph": Maker("Morph", "morph"),
    "nova": Maker("Amazon", "nova"),
    "nvidia": Maker("NVIDIA", "nvidia"),
    "openai": Maker("OpenAI", "openai"),
    "perplexity": Maker("Perplexity", "perplexity"),
    "poolside": Maker("Poolside", "poolside"),
    "sakana": Maker("Sakana AI", "sakana"),
    "sarvam": Maker("Sarvam AI", "sarvam"),
    "stepfun": Maker("StepFun", "stepfun"),
    "tencent": Maker("Tencent", "tencent-tokenhub"),
    "upstage": Maker("Upstage", "upstage"),
    "v0": Maker("Vercel", "v0"),
    "xai": Maker("xAI", "xai"),
    "xiaomi": Maker("Xiaomi", "xiaomi"),
    "zhipuai": Maker("Z.ai", "zai"),
}
"""By the folder in `models/`, or for a maker without one by that of its prices."""
HOSTS = ("cerebras-", "groq-")
"""How ids in Meta's folder begin that are served, and priced, by somebody else."""

MAX_DEPTH = 8
"""How deep the values of a file may be nested."""
TOO_DEEP = "nested too deeply"

MODALITIES = {
    "text": "Text",
    "image": "Images",
    "audio": "Audio",
    "video": "Video",
    "pdf": "PDF",
}


class WrongValueError(Exception):
    """A value is not what the file should have there; the message says so."""


def _tokens(value: object) -> int | None:
    """A number of tokens; none for 0, which stands for a model that has no such limit."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**12:
        raise WrongValueError(f"{_quoted(value)} is no number of tokens")
    return value or None


def _yes_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongValueError(f"{_quoted(value)} is neither true nor false")
    return value


def _modalities(value: object) -> list[str]:
    given = value if isinstance(value, list) else []
    if not given or any(each not in MODALITIES for each in map(str, given)):
        raise WrongValueError(f"{_quoted(value)} is no list of {', '.join(MODALITIES)}")
    return [label for name, label in MODALITIES.items() if name in given]


def _day(value: object) -> str:
    """A date; of a month without a day the first one."""
    written = str(value)
    try:
        if not re.fullmatch(r"\d{4}-\d\d(-\d\d)?", written, re.ASCII):
            raise ValueError
        return date.fromisoformat(written if len(written) == 10 else f"{written}-01").isoformat()
    except ValueError:
        raise WrongValueError(
            f"{_quoted(value)} is no date such as 2026-11 or 2026-11-20"
        ) from None


def _price(value: object) -> str | None:
    """An amount for a plan; none for 0, which stands for “not asked” and “not known” alike."""
    number = Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(number, Decimal) or not number.is_finite() or not 0 <= number < 10**9:
        raise WrongValueError(f"{_quoted(value)} is no price")
    if number != round(number, DECIMAL_PLACES):
        raise WrongValueError(f"{number} has more than {DECIMAL_PLACES} decimal places")
    return amount_text(number) if number else None


def _quoted(value: object) -> str:
    return f"“{str(value)[:60]}”"


class _Answer(NamedTuple):
    """Where a file has the answer to an attribute, and how it is read."""

    table: str
    key: str
    parse: Callable[[object], Any]


_ANSWERS = {
    "context-window": _Answer("limit", "context", _tokens),
    "output-tokens": _Answer("limit", "output", _tokens),
    "modalities": _Answer("modalities", "input", _modalities),
    "gives-out": _Answer("modalities", "output", _modalities),
    "tool-calling": _Answer("", "tool_call", _yes_no),
    "reasoning": _Answer("", "reasoning", _yes_no),
    "open-weights": _Answer("", "open_weights", _yes_no),
    "first-release": _Answer("", "release_date", _day),
    "knowledge-cutoff": _Answer("", "knowledge", _day),
}


@dataclass
class _File:
    """A TOML file of the clone."""

    path: str
    values: dict[str, Any]
    text: str

    def value(self, table: str, key: str) -> object:
        """A value, also of a table; None without one."""
        found = self.values.get(table) if table else self.values
        return found.get(key) if isinstance(found, dict) else None

    def line_of(self, table: str, key: str) -> str:
        """The line that states a value; empty if none does by itself, or a quote cannot be it."""
        current = ""
        for line in map(str.strip, self.text.splitlines()):
            if heading := re.fullmatch(r"\[([\w.]+)\]", line):
                current = heading[1]
            elif line.startswith("["):
                current = line
            elif current == table and re.match(rf"{re.escape(key)}\s*=", line):
                return line if line.isprintable() and _is_whole(line) else ""
        return ""


def _fault_of(values: object) -> str:
    """Why parsed TOML is not used; empty if it is."""
    level = [values]
    for _ in range(MAX_DEPTH):
        if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in level):
            return "a number with more than 64 bits"
        tables = [value.values() for value in level if isinstance(value, dict)]
        lists = [value for value in level if isinstance(value, list)]
        level = [*chain.from_iterable(tables), *chain.from_iterable(lists)]
    return TOO_DEEP if level else ""


def _is_whole(line: str) -> bool:
    """Whether a line has its whole value, and is no longer than a quote may be."""
    return line.count("[") == line.count("]") and len(line) <= LONGEST_QUOTE


@dataclass
class _Model:
    """A model: its file among the models, or that of its base, and the file with its prices; one of
    the two may be missing.
    """

    about: _File | None = None
    priced: _File | None = None

    @property
    def files(self) -> list[_File]:
        """Its files; as in the source, what the one with prices states comes first."""
        return [each for each in (self.priced, self.about) if each]

    def stating(self, table: str, key: str) -> Iterator[tuple[_File, object]]:
        """The files that state a value, and the value; some must not be taken from the base."""
        omitted = self.priced.values.get("base_model_omit") if self.priced else ()
        dotted = f"{table}.{key}".lstrip(".")
        for file in self.files:
            is_omitted = isinstance(omitted, list) and {table, dotted} & set(map(str, omitted))
            value = file.value(table, key)
            if value is not None and not (file is self.about and is_omitted):
                yield file, value


@dataclass
class _Folder:
    """The reading of one clone."""

    clone: Clone
    reading: Reading = field(default_factory=Reading)

    def read(self) -> Reading:
        """Read the models of all makers."""
        if self.clone.is_dirty():
            self.reading.notes.append("Uncommitted changes of the folder are not read.")
        models: dict[str, _Model] = {}
        docs: dict[str, str] = {}
        for maker_id, maker in MAKERS.items():
            self._add_described(maker_id, models)
            if maker.provider:
                self._add_priced(maker_id, maker, models)
                docs[maker_id] = self._documentation(maker)
        commits = self.clone.last_commits(
            {file.path for model in models.values() for file in model.files}
        )
        for model_id, model in sorted(models.items()):
            maker_id = model_id.partition("/")[0]
            self._add_tool(model_id, model, MAKERS[maker_id], docs.get(maker_id, ""), commits)
        return self.reading

    def _files(self, folder: str) -> Iterator[tuple[str, _File]]:
        """The TOML files of a folder, with the name of each without its ending."""
        for path in self.clone.paths:
            if not (path.startswith(f"{folder}/") and path.endswith(".toml")):
                continue
            if file := self._file(path):
                yield path.removeprefix(f"{folder}/").removesuffix(".toml"), file

    def _file(self, path: str) -> _File | None:
        """A file, or the one that a link leads to; None if it is refused."""
        try:
            target = self.clone.target_of(path)
            text = self.clone.text(target)
            values = tomllib.loads(text, parse_float=Decimal)
        except UnreadableFileError as error:
            self.reading.refuse(path, str(error))
        except (tomllib.TOMLDecodeError, ValueError, ArithmeticError) as error:
            self.reading.refuse(path, f"is no TOML ({error})")
        except RecursionError:
            self.reading.refuse(path, f"is no TOML that can be read ({TOO_DEEP})")
        else:
            if not (fault := _fault_of(values)):
                return _File(target, values, text)
            self.reading.refuse(path, f"is no TOML that can be read ({fault})")
        return None

    def _add_described(self, maker_id: str, models: dict[str, _Model]) -> None:
        for name, file in self._files(f"models/{maker_id}"):
            models[f"{maker_id}/{name}"] = _Model(about=file)

    def _add_priced(self, maker_id: str, maker: Maker, models: dict[str, _Model]) -> None:
        """Add the models of the maker's own provider; those of other makers are refused."""
        known = {model_id.casefold(): model_id for model_id in models}
        for name, file in self._files(f"providers/{maker.provider}/models"):
            base = file.values.get("base_model")
            model_id = name if name.startswith(f"{maker_id}/") else f"{maker_id}/{name}"
            owner = str(base or model_id).partition("/")[0]
            if owner != maker_id or model_id.count("/") > 1 or name.startswith(HOSTS):
                self.reading.refuse(file.path, f"is not {maker.name}’s own model")
                continue
            model = models.setdefault(known.get(model_id.casefold(), model_id), _Model())
            if model.priced:
                self.reading.refuse(file.path, f"describes {model_id} again")
                continue
            model.priced = file
            if base is not None and not model.about:
                model.about = self._file_of_base(file, base)

    def _file_of_base(self, file: _File, base: object) -> _File | None:
        path = f"models/{base}.toml"
        if path not in self.clone.paths:
            self.reading.refuse(file.path, f"has the base {_quoted(base)}, which is not there")
            return None
        return self._file(path)

    def _documentation(self, maker: Maker) -> str:
        path = f"providers/{maker.provider}/provider.toml"
        file = self._file(path) if path in self.clone.paths else None
        address = file.values.get("doc") if file else None
        if not isinstance(address, str):
            return ""
        try:
            address = without_tracking(address)
            Tool._meta.get_field("website").clean(address, None)
        except (ValidationError, ValueError):
            self.reading.refuse(path, "doc: is no web address")
            return ""
        return address

    def _add_tool(
        self,
        model_id: str,
        model: _Model,
        maker: Maker,
        documentation: str,
        commits: Mapping[str, Commit],
    ) -> None:
        """Add a model as a tool."""
        first = model.files[0]
        name = next((value for _, value in model.stating("", "name")), None)
        if not isinstance(name, str):
            return self.reading.refuse(first.path, "has no name")
        facts = list(self._facts(model, commits))
        is_open = any(each["attribute"] == "open-weights" and each["value"] for each in facts)
        keys: Values = {
            "name": " ".join(name.split()),
            "maker": maker.name,
            "website": documentation,
        }
        if model.priced and model.priced.values.get("status") == "deprecated":
            keys["status"] = ToolStatus.DISCONTINUED
            keys["status_source"] = _address(model.priced.path, commits)
            keys["status_note"] = "Its maker calls it deprecated."
        plans = list(self._plans(model.priced, commits)) if model.priced else []
        if not plans:
            keys["entry"] = EntryPrice.FREE if is_open else EntryPrice.PAID
        tool = SourceTool(model_id, first.path, keys, facts, plans)
        self.reading.tools.append(tool)
        return None

    def _facts(self, model: _Model, commits: Mapping[str, Commit]) -> Iterator[Values]:
        """The facts that its files state."""
        for attribute, answer in _ANSWERS.items():
            for file, given in model.stating(answer.table, answer.key):
                place = f"{answer.table}.{answer.key}".lstrip(".")
                try:
                    value = answer.parse(given)
                except WrongValueError as error:
                    self.reading.refuse(file.path, f"{place}: {error}")
                    continue
                if value is not None:
                    note = ONLY_MONTH if answer.parse is _day and len(str(given)) == 7 else ""
                    yield {
                        "attribute": attribute,
                        "value": value,
                        "note": note,
                        **self._origin(file, answer.table, answer.key, commits),
                    }
                break

    def _plans(self, file: _File, commits: Mapping[str, Commit]) -> Iterator[Values]:
        """The prices of input and output tokens, and those for long inputs, which cost more."""
        cost = file.values.get("cost")
        if cost is None:
            return
        if not isinstance(cost, dict):
            return self.reading.refuse(file.path, "cost: is no table")
        if not cost.get("input") and not cost.get("output"):
            reason = "cost: 0 may stand for free or for not known; no price is taken"
            return self.reading.refuse(file.path, reason)
        yield from self._prices(file, cost, "API", "cost", commits)
        tiers = cost.get("tiers")
        for tier in tiers if isinstance(tiers, list) else []:
            about = tier.get("tier") if isinstance(tier, dict) else None
            size = about.get("size") if isinstance(about, dict) else None
            kind = about.get("type", "context") if isinstance(about, dict) else ""
            if not isinstance(size, int) or kind != "context":
                self.reading.refuse(file.path, "cost.tiers: has a tier without a size of context")
                continue
            name = f"API, above {size:,} tokens"
            yield from self._prices(file, tier, name, "cost.tiers", commits)

    def _prices(
        self,
        file: _File,
        cost: Mapping[str, object],
        name: str,
        table: str,
        commits: Mapping[str, Commit],
    ) -> Iterator[Values]:
        for key in ("input", "output"):
            try:
                amount = _price(cost[key]) if key in cost else None
            except WrongValueError as error:
                self.reading.refuse(file.path, f"{table}.{key}: {error}")
                continue
            if amount:
                yield {
                    "name": name,
                    "amount": amount,
                    "currency": "USD",
                    "per": f"1M {key} tokens",
                    "per_user": False,
                    **self._origin(file, table, key, commits),
                }

    def _origin(self, file: _File, table: str, key: str, commits: Mapping[str, Commit]) -> Values:
        """The source of a value: the file at its commit, and the commit's day."""
        day = commits[file.path].day.isoformat() if file.path in commits else None
        quote = file.line_of(table, key)
        return {"source": _address(file.path, commits), "quote": quote, "checked": day}


def _address(path: str, commits: Mapping[str, Commit]) -> str:
    commit = commits[path].id if path in commits else "HEAD"
    return f"{REPOSITORY}/blob/{commit}/{url_quoted(path)}"


def read(folder: Path) -> Reading:
    """The models that a clone of the repository describes; raises UnusableFolderError."""
    providers = sorted({maker.provider for maker in MAKERS.values() if maker.provider})
    clone = Clone(folder, ["models", *(f"providers/{name}" for name in providers)])
    if not any(path.startswith("models/") and path.endswith(".toml") for path in clone.paths):
        raise UnusableFolderError(f"{folder} has no TOML files in models/; clone {REPOSITORY}")
    return _Folder(clone).read()


def _attribute(slug: str, name: str, kind: str, group: str, help: str, **keys: Any) -> Values:  # noqa: A002
    own = {"slug": slug, "name": name, "group": group, "kind": kind, **keys}
    return own | {"categories": [CATEGORY], "help": help}


_CHOICES = {"choices": list(MODALITIES.values())}
_TOKENS = {"unit": "tokens", "better": "higher"}
MODELS_DEV = Source(
    name="models.dev",
    licence="MIT",
    category={"slug": CATEGORY, "name": "Models", "published": None},
    attributes=[
        _attribute(
            "context-window",
            "Context window",
            "number",
            "Model",
            "How much it can read at once, its answer included.",
            **_TOKENS,
        ),
        _attribute(
            "output-tokens",
            "Longest answer",
            "number",
            "Model",
            "How much it can write in one answer.",
            **_TOKENS,
        ),
        _attribute(
            "modalities",
            "Takes in",
            "choices",
            "Model",
            "Kinds of input that the model is made for.",
            **_CHOICES,
        ),
        _attribute(
            "gives-out",
            "Gives out",
            "choices",
            "Model",
            "Kinds of output that the model makes.",
            **_CHOICES,
        ),
        _attribute(
            "open-weights",
            "Open weights",
            "yes-no",
            "Model",
            "Whether anyone may download the weights.",
        ),
        _attribute(
            "reasoning",
            "Reasons first",
            "yes-no",
            "Model",
            "Whether it can think in steps before it answers.",
        ),
        _attribute(
            "tool-calling",
            "Tool calling",
            "yes-no",
            "What it does",
            "Whether a model can call functions that you describe.",
        ),
        _attribute(
            "first-release",
            "First release",
            "date",
            "Releases",
            "The day on which it could first be used.",
        ),
        _attribute(
            "knowledge-cutoff",
            "Knowledge ends",
            "date",
            "Model",
            "The day up to which its training data reach.",
        ),
    ],
    read=read,
)
