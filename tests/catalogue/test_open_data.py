"""Documents of open data: what `catalogue_from models.dev FOLDER` writes and refuses, what a load
of it changes, and what it leaves to editors.
"""

import io
import json
import os
import re
import shutil
import subprocess
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from shipskip.catalogue.changes import Changes
from shipskip.catalogue.sources import clone as clone_module
from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.catalogue.documents import as_file, dumped, faults_of, load
from tools.fact_writing import FactEdit, PlanEdit, write_facts, write_plans
from tools.models import Attribute, Category, Fact, Plan, Tool

pytestmark = pytest.mark.django_db
GPT = "models.dev:openai/gpt-5.4"
GPT_FILE, GPT_PRICES = "models/openai/gpt-5.4.toml", "providers/openai/models/gpt-5.4.toml"
MODEL = """name = "Traps"
release_date = "2026-04-01"
tool_call = true
reasoning = false
open_weights = false

[limit]
context = 1_000
output = 100

[modalities]
input = ["text"]
output = ["text"]
"""
REAL_FILES = Path(__file__).parent / "models_dev"
DAY = "2026-07-02T00:40:28+08:00"
"""The moment of each commit; its day in UTC is the first."""


class Clone:
    """A repository with the real files, committed."""

    def __init__(self, folder: Path, committed: Path) -> None:
        self.folder = folder
        shutil.copytree(committed, folder)

    def put(self, path: str, text: str | bytes) -> None:
        """Write a file; what is committed next has it."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def change(self, path: str, before: str, after: str) -> None:
        """Replace a part of a file."""
        text = (self.folder / path).read_text()
        assert before in text
        self.put(path, text.replace(before, after))

    def commit(self) -> str:
        """Commit everything; returns the id of the commit."""
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", "data")
        return git(self.folder, "rev-parse", "HEAD").strip()

    def document(self) -> tuple[dict[str, Any], list[str]]:
        """What the command prints, and the lines of its standard error."""
        out, err = io.StringIO(), io.StringIO()
        call_command("catalogue_from", "models.dev", self.folder, stdout=out, stderr=err)
        return json.loads(out.getvalue()), err.getvalue().splitlines()

    def load(self) -> Changes:
        """Load the document of the newest commit."""
        return load(as_file(self.document()[0]))


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as always the same author on the same day; returns what it prints."""
    own = {"GIT_AUTHOR_DATE": DAY, "GIT_COMMITTER_DATE": DAY, "GIT_CONFIG_GLOBAL": os.devnull}
    author = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    done = subprocess.run(
        ["git", "-C", str(folder), *author, *arguments],
        env=os.environ | own,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """A repository with the real files, committed; to be copied."""
    folder = tmp_path_factory.mktemp("committed") / "models.dev"
    shutil.copytree(REAL_FILES, folder)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "data")
    return folder


@pytest.fixture
def clone(tmp_path, committed):
    """A clone with the real files."""
    return Clone(tmp_path / "models.dev", committed)


def test_a_model_is_a_draft_with_facts_and_prices_from_its_files(clone, snapshot):
    commit = clone.commit()
    clone.change("models/sakana/fugu-ultra.toml", "context = 1_000_000", "context = 999_999")
    later = clone.commit()
    document, errors = clone.document()
    assert errors == snapshot(name="what is refused")
    tools = {tool["source_id"]: tool for tool in document["tools"]}
    gpt = deepcopy(tools["models.dev:openai/gpt-5.4"])
    blob = "https://github.com/anomalyco/models.dev/blob"
    rows = gpt.pop("facts") + gpt.pop("plans")
    for row in rows:
        assert re.sub("[0-9a-f]{40}", "COMMIT", row.pop("source")) == f"{blob}/COMMIT/{GPT_PRICES}"
        assert row.pop("checked") == "2026-07-01"
    assert gpt == snapshot(name="the tool")
    lines = [" · ".join(map(str, row.values())) for row in rows]
    assert lines == snapshot(name="its facts and prices")
    fugu = tools["models.dev:sakana/fugu-ultra"]
    context, output, *_ = (fact["source"] for fact in fugu["facts"])
    assert context == f"{blob}/{later}/models/sakana/fugu-ultra.toml"
    assert output.startswith(f"{blob}/")
    assert output.endswith("/providers/sakana/models/fugu-ultra.toml")
    assert later not in output
    assert commit != later
    assert document["categories"] == [{"slug": "models", "name": "Models", "published": None}]
    other = tools["models.dev:sakana/fugu-ultra-20260615"]
    assert {fugu["label"], other["label"]} == {"", "20260615"}, "two models of one name"
    assert tools["models.dev:anthropic/claude-3-7-sonnet-20250219"]["status"] == "discontinued"
    assert load(as_file(document)).counts["tools"].created == 5
    assert not Category.objects.get(slug="models").published_at
    fact = Fact.objects.get(tool__slug="glm-4-5-flash", attribute__slug="knowledge-cutoff")
    assert (fact.value, fact.note) == (date(2025, 4, 1), "The source names the month only.")
    assert fact.unconfirmed
    assert Plan.objects.filter(unconfirmed=False).count() == 0


TRAPS = [
    "name = 7",
    "name = ",
    b'name = "\xff"',
    "x = " + "[" * 5_000,
    "#" * 200_000,
    *(MODEL.replace("1_000", number) for number in ('"big"', "-1", "10" * 99)),
    MODEL.replace("= true", '= "yes"'),
    MODEL.replace("2026-04-01", "2026-13"),
    MODEL.replace('["text"]', '["smell"]', 1),
    MODEL.replace("Traps", "x" * 130),
    "limit = 3\n" + MODEL.partition("[limit]")[0],  # is read without its limits
    ".".join("a" * 9) + " = 1",
    "limit = 0x1" + "0" * 16,
]
PRICE_TRAPS = [
    *(f"[cost]\ninput = {price}\noutput = 1" for price in ("nan", "0.0000001", "-1", "1e999999")),
    "cost = 3",
    "[cost]\ninput = 1\ntiers = [3]",
    'base_model = "xai/gone"',
    'base_model = "openai/gpt-5.4"',
]
LINKS = {
    "dangling": "../../nowhere.toml",
    "passwd": "/etc/passwd",
    "above": "../../../../../etc/passwd",
    "round": "round.toml",
    "folder": "../../openai",
    "linked": "six.toml",
}


def test_what_cannot_be_read_is_refused_with_a_reason_and_the_rest_is_written(clone, snapshot):
    for number, text in enumerate(TRAPS):
        clone.put(f"models/xai/trap-{number}.toml", text)
    for number, text in enumerate(PRICE_TRAPS):
        path = f"providers/xai/models/price-{number}.toml"
        clone.put(path, f'name = "Price {number}"\n{text}')
    clone.put("models/xai/\x1b[2J\x9b.toml", "name = 7")
    clone.put("providers/xai/provider.toml", 'doc = "no address"')
    clone.put("models/xai/six.toml", MODEL.replace("Traps", "Six"))
    clone.put("providers/xai/models/six.toml", "[cost]\ninput = 0.000001\noutput = 0")
    for name, target in LINKS.items():
        (clone.folder / f"providers/xai/models/{name}.toml").symlink_to(target)
    clone.commit()
    document, errors = clone.document()
    assert sorted(line for line in errors if "/xai/" in line) == snapshot
    six = next(tool for tool in document["tools"] if tool["name"] == "Six")
    assert [plan["amount"] for plan in six["plans"]] == ["0.000001"]
    assert six["website"] == ""
    load(as_file(document))


def test_slugs_and_labels_tell_models_apart_and_no_slug_of_another_tool_is_taken(clone):
    models = Category.objects.create(slug="models", name="Models")
    Tool.objects.create(slug="gpt-5-4", name="Other", category=models, source_id="other:gpt")
    make.tool(slug="fugu-ultra", in_category=models).rename("own")
    names = ["xai/One.5", "xai/one-5", "mistral/one-5", "xai/a-vs-b"]
    names += ["xai/" + "long-" * 30, "xai/模型"]
    for name in names:
        clone.put(f"models/{name}.toml", MODEL)
    clone.commit()
    document, _ = clone.document()
    own = [tool for tool in document["tools"] if tool["name"] == "Traps"]
    slugs = {tool["source_id"].partition(":")[2]: tool["slug"] for tool in own}
    assert slugs["mistral/one-5"] == "mistral-one-5"
    assert {slugs["xai/One.5"], slugs["xai/one-5"]} == {"xai-one-5", "xai-one-5-2"}
    assert slugs["xai/a-vs-b"] == "a-b"
    labels = [tool["label"] for tool in own]
    assert len(set(labels)) == len(own) == len(names)
    assert all(len(label) <= 24 for label in labels)
    load(as_file(document))
    assert Tool.objects.get(source_id=GPT).slug == "openai-gpt-5-4"
    assert Tool.objects.get(source_id="models.dev:sakana/fugu-ultra").slug == "sakana-fugu-ultra"


def test_attributes_of_the_site_are_widened_and_keep_their_words(clone):
    chat = Category.objects.create(slug="chat", name="Chat")
    ours = {"name": "Reads", "kind": "choices", "choices": ["Text", "Code"], "help": "Ours."}
    Attribute.objects.create(slug="modalities", category_ids=[chat.pk], **ours)
    Attribute.objects.create(slug="reasoning", name="Reasoning", kind="text")
    Attribute.objects.create(slug="open-weights", name="Weights", kind="yes-no")
    document, errors = clone.document()
    by_slug = {each["slug"]: each for each in document["attributes"]}
    assert by_slug["modalities"] == {
        "slug": "modalities",
        "name": "Reads",
        "kind": "choices",
        "choices": ["Text", "Code", "Images", "Audio", "Video", "PDF"],
        "categories": ["chat", "models"],
    }
    assert not {"reasoning", "open-weights"} & by_slug.keys()
    assert errors[-2] == (
        "The attribute “reasoning” of this site is a “text”, not a “yes-no”; its facts are left "
        "out."
    )
    load(as_file(document))
    assert Attribute.objects.get(slug="modalities").help == "Ours."


def test_a_folder_that_is_no_clone_is_refused(clone, tmp_path, monkeypatch):
    def refused(folder) -> str:
        with pytest.raises(CommandError) as error:
            call_command("catalogue_from", "models.dev", folder, stdout=io.StringIO())
        return str(error.value)

    assert refused(tmp_path / "none") == f"{tmp_path / 'none'} is no folder."
    assert refused(clone.folder / "models") == (
        f"{clone.folder / 'models'} is a folder within a clone; give its top folder."
    )
    (tmp_path / "plain").mkdir()
    assert "is no clone of a repository: fatal: not a git repository" in refused(tmp_path / "plain")
    clone.put("models/xai/new.toml", MODEL)
    clone.change("models/openai/gpt-5.4.toml", "GPT-5.4", "GPT-6")
    document, errors = clone.document()
    assert "Uncommitted changes of the folder are not read." in errors
    assert not {"GPT-6", "Traps"} & {tool["name"] for tool in document["tools"]}
    for name, value, sentence in (
        ("MAX_FILES", 3, "more than 3 files"),
        ("MAX_ALL_BYTES", 300, "or 300 bytes"),
        ("MAX_OUTPUT", 50, "git prints more than 50 bytes"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(clone_module, name, value)
            assert sentence in refused(clone.folder)
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o700)
    with monkeypatch.context() as patched:
        patched.setattr(clone_module, "GIT", str(slow))
        patched.setattr(clone_module, "MAX_SECONDS", 0.1)
        assert "or takes more than 0.1 seconds" in refused(clone.folder)
    monkeypatch.setattr(clone_module, "GIT", "no-such-git")
    assert refused(clone.folder).endswith("the program “no-such-git” is not installed.")


def test_submodules_and_replaced_objects_are_ignored(clone):
    first = git(clone.folder, "rev-parse", f"HEAD:{GPT_FILE}").strip()
    clone.put("other.toml", MODEL)
    other = git(clone.folder, "hash-object", "-w", "other.toml").strip()
    git(clone.folder, "replace", first, other)
    head = git(clone.folder, "rev-parse", "HEAD").strip()
    entry = f"160000,{head},models/xai/sub.toml"
    git(clone.folder, "update-index", "--add", "--cacheinfo", entry)
    git(clone.folder, "commit", "-q", "-m", "submodule")
    document, errors = clone.document()
    assert "GPT-5.4" in {tool["name"] for tool in document["tools"]}
    assert not [line for line in errors if "sub.toml" in line]


# --- A load ----------------------------------------------------------------------------------


@pytest.fixture
def loaded(clone):
    """A clone with the real files, loaded."""
    clone.load()
    return clone


def kept(changes: Changes) -> list[str]:
    return [str(each) for each in changes.kept.entries]


def fact(attribute: str) -> Fact:
    return Fact.objects.get(tool__source_id=GPT, attribute__slug=attribute)


def confirm(row: Fact) -> None:
    write_facts([FactEdit((row.tool_id, row.attribute_id), {"unconfirmed": False})], Save())


def test_what_changes_in_the_source_changes_here_unless_an_editor_has_confirmed_it(loaded):
    confirm(fact("context-window"))
    plan = Plan.objects.get(tool__source_id=GPT, name="API", per="1M input tokens")
    write_plans([PlanEdit(plan.tool_id, plan.pk, {"checked_on": date(2026, 7, 2)})], Save())
    loaded.change(GPT_PRICES, "context = 1_050_000", "context = 2_000_000")
    loaded.change(GPT_PRICES, "output = 128_000", "output = 256_000")
    for path in (GPT_PRICES, GPT_FILE):
        loaded.change(path, 'knowledge = "2025-08-31"\n', "")
        loaded.change(path, "reasoning = true\n", "")
    loaded.change(GPT_PRICES, "input = 2.50\noutput = 15.00", "input = 3.50\noutput = 16.00")
    confirm(fact("reasoning"))
    loaded.commit()
    changes = loaded.load()
    assert fact("context-window").number == 1_050_000
    assert fact("output-tokens").number == 256_000
    assert fact("output-tokens").unconfirmed
    assert not Fact.objects.filter(tool__source_id=GPT, attribute__slug="knowledge-cutoff").exists()
    assert fact("reasoning").yes_no is True
    prices = Plan.objects.filter(tool__source_id=GPT, name="API").order_by("per")
    assert [f"{plan.amount:f}" for plan in prices] == ["2.500000", "16.000000"]
    assert kept(changes) == [
        "facts: context-window of gpt-5-4 (value: “1,050,000” → “2,000,000”)",
        "plans: API, USD per 1M input tokens, of gpt-5-4 (amount: “2.50” → “3.50”)",
    ]
    again = loaded.load()
    assert not again.changed_anything
    assert kept(again) == kept(changes)
    assert loaded.document() == loaded.document()
    text = dumped()
    assert not load(as_file(text)).changed_anything
    assert json.loads(text)["tools"][-1]["facts"][1]["unconfirmed"] is True


def test_a_tool_keeps_its_identity_and_an_editors_words_when_its_names_change(loaded):
    tool = Tool.objects.get(source_id=GPT)
    tool.rename("best-gpt")
    other = Category.objects.create(slug="chat", name="Chat")
    Tool.objects.filter(pk=tool.pk).update(category=other)
    loaded.change(GPT_PRICES, '"GPT-5.4"', '"GPT Five"')
    loaded.change(GPT_PRICES, "output = 128_000", "output = 256_000")
    loaded.commit()
    changes = loaded.load()
    assert changes.counts["tools"].created == 0
    tool.refresh_from_db()
    assert (tool.slug, tool.name, tool.category) == ("best-gpt", "GPT-5.4", other)
    assert fact("output-tokens").number == 256_000
    assert kept(changes) == [
        "tools: best-gpt (name: “GPT-5.4” → “GPT Five”; category: “chat” → “models”)"
    ]
    # The facts that its new category does not ask are not made again.
    Fact.objects.filter(tool=tool).delete()
    assert not loaded.load().changed_anything


def test_a_tool_of_an_editor_is_found_by_its_slug_and_gets_the_id(clone):
    chat = Category.objects.create(slug="models", name="Models")
    Tool.objects.create(slug="gpt-5-4", name="My GPT", category=chat, maker="OpenAI")
    changes = clone.load()
    tool = Tool.objects.get(slug="gpt-5-4")
    assert (tool.name, tool.source_id) == ("My GPT", GPT)
    assert len(kept(changes)) == 1
    assert tool.facts.filter(unconfirmed=True).count() == 9


@pytest.mark.both_databases
def test_a_tool_that_is_gone_is_marked_and_one_that_an_editor_deleted_stays_deleted(loaded):
    for path in (GPT_FILE, GPT_PRICES):
        (loaded.folder / path).rename(loaded.folder / f"{path}.old")
    loaded.commit()
    changes = loaded.load()
    tool, today = Tool.objects.get(source_id=GPT), changes.save.now.date()
    assert (tool.gone_from_source_on, tool.facts.count()) == (today, 9)
    (change,) = changes.changed.entries
    assert str(change) == f"tools: gpt-5-4 (gone_from_source: none → {today})"
    assert not loaded.load().changed_anything
    for path in (GPT_FILE, GPT_PRICES):
        (loaded.folder / f"{path}.old").rename(loaded.folder / path)
    loaded.commit()
    loaded.load()
    tool = Tool.objects.get(source_id=GPT)
    assert tool.gone_from_source_on is None
    tool.remove(timezone.now())
    changes = loaded.load()
    assert not changes.changed_anything
    assert kept(changes) == ["tools: gpt-5-4 (published: “deleted here” → none)"]


@pytest.fixture
def models(db):
    """A category with a tool of the source."""
    models = Category.objects.create(slug="models", name="Models")
    Tool.objects.create(slug="best-gpt", name="GPT-5.4", category=models, source_id=GPT)


@pytest.mark.usefixtures("models")
def test_faults_of_an_imported_document_have_their_place(snapshot):
    document = {"format": "shipskip-catalogue/3", "imported_from": "models.dev"}
    tool = {"slug": "new", "name": "New", "category": "models", "source_id": "models.dev:new"}
    no_id = {key: value for key, value in tool.items() if key != "source_id"}
    cases = [
        document | {"imported_from": "No Name", "tools": [tool]},
        document | {"imported_from": 3, "tools": [tool]},
        document | {"format": "shipskip-catalogue/2", "tools": [tool]},
        document | {"tools": [tool | {"source_id": "gpt"}]},
        document | {"tools": [tool | {"source_id": "other:gpt"}]},
        document | {"tools": [no_id]},
        document | {"tools": [tool | {"published": "2026-05-01T09:00:00Z"}]},
        document | {"tools": [tool | {"slug": "best-gpt"}]},
        {"format": document["format"], "tools": [tool, tool | {"slug": "two"}]},
    ]
    assert [faults_of(case) for case in cases] == snapshot


@pytest.mark.usefixtures("models")
def test_other_documents_use_the_slugs_of_the_site_and_mark_nothing_as_gone():
    tools = [
        {"slug": "gpt", "name": "GPT-5.4", "category": "models", "source_id": GPT},
        {"slug": "new", "name": "New", "category": "models"},
    ]
    pair = {"tools": ["gpt", "new"], "choose_if": {"gpt": "you like it"}}
    document = {"format": "shipskip-catalogue/3", "tools": tools, "comparisons": [pair]}
    assert load(as_file(document)).counts["comparisons"].created == 1
    assert not load(as_file(document)).changed_anything
    other = {"slug": "x", "name": "X", "category": "models", "source_id": "other:x"}
    load(as_file(document | {"imported_from": "other", "tools": [other], "comparisons": []}))
    assert not Tool.objects.exclude(gone_from_source_on=None).exists()
