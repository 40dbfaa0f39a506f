"""`manage.py catalogue_from models.dev FOLDER`: what the document has, and what is refused."""

import io
import re
from datetime import date

import pytest
from django.core.management import CommandError, call_command

from shipskip.catalogue.sources import clone as clone_module
from tests.catalogue.clones import Clone
from tests.catalogue.documents import as_file, load
from tools.models import Attribute, Category, Fact, Plan, Tool

pytestmark = pytest.mark.django_db
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


@pytest.fixture
def clone(tmp_path):
    """A clone with the real files."""
    return Clone(tmp_path / "models.dev")


def test_a_model_is_a_draft_with_facts_and_prices_from_its_files(clone, snapshot):
    commit = clone.commit()
    clone.change("models/sakana/fugu-ultra.toml", "context = 1_000_000", "context = 999_999")
    later = clone.commit()
    document, errors = clone.document()
    assert errors == snapshot
    tools = {tool["source_id"]: tool for tool in document["tools"]}
    gpt = tools["models.dev:openai/gpt-5.4"]
    for row in [*gpt["facts"], *gpt["plans"]]:
        row["source"] = re.sub("[0-9a-f]{40}", "COMMIT", row["source"])
    assert gpt == snapshot
    fugu = tools["models.dev:sakana/fugu-ultra"]
    context, output, *_ = (fact["source"] for fact in fugu["facts"])
    blob = "https://github.com/anomalyco/models.dev/blob"
    assert context == f"{blob}/{later}/models/sakana/fugu-ultra.toml"
    assert output.startswith(f"{blob}/")
    assert output.endswith("/providers/sakana/models/fugu-ultra.toml")
    assert later not in output
    assert commit != later
    assert document["categories"] == [{"slug": "models", "name": "Models", "published": None}]
    # Two models of one name have labels.
    assert {fugu["label"], tools["models.dev:sakana/fugu-ultra-20260615"]["label"]} == {
        *("", "20260615")
    }
    assert tools["models.dev:anthropic/claude-3-7-sonnet-20250219"]["status"] == "discontinued"
    assert load(as_file(document)).counts["tools"].created == 5
    assert not Category.objects.get(slug="models").published_at
    fact = Fact.objects.get(tool__slug="glm-4-5-flash", attribute__slug="knowledge-cutoff")
    assert (fact.value, fact.note) == (date(2025, 4, 1), "The source names the month only.")
    assert fact.unconfirmed
    assert Plan.objects.filter(unconfirmed=False).count() == 0


TRAPS = [
    *("name = 7", "name = ", b'name = "\xff"', "x = " + "[" * 5_000, "#" * 200_000),
    *(MODEL.replace("1_000", number) for number in ('"big"', "-1", "10" * 99)),
    MODEL.replace("= true", '= "yes"'),
    MODEL.replace("2026-04-01", "2026-13"),
    MODEL.replace('["text"]', '["smell"]', 1),
    MODEL.replace("Traps", "x" * 130),
    "limit = 3\n" + MODEL.partition("[limit]")[0],  # is read without its limits
]
PRICE_TRAPS = [
    *(f"[cost]\ninput = {price}\noutput = 1" for price in ("nan", "0.0000001", "-1", "1e999999")),
    *("cost = 3", "[cost]\ninput = 1\ntiers = [3]"),
    *('base_model = "xai/gone"', 'base_model = "openai/gpt-5.4"'),
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
    clone.put("models/xai/six.toml", MODEL.replace("Traps", "Six"))
    clone.put("providers/xai/models/six.toml", "[cost]\ninput = 0.000001\noutput = 0")
    for name, target in LINKS.items():
        clone.link(f"providers/xai/models/{name}.toml", target)
    clone.commit()
    document, errors = clone.document()
    assert sorted(line for line in errors if "/xai/" in line) == snapshot
    six = next(tool for tool in document["tools"] if tool["name"] == "Six")
    assert [plan["amount"] for plan in six["plans"]] == ["0.000001"]
    load(as_file(document))


def test_slugs_and_labels_tell_models_apart(clone):
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


def test_a_slug_that_another_tool_has_or_had_is_not_taken(clone):
    models = Category.objects.create(slug="models", name="Models")
    Tool.objects.create(slug="gpt-5-4", name="Other", category=models, source_id="other:gpt")
    renamed = Tool.objects.create(slug="fugu-ultra", name="Own", category=models)
    renamed.rename("own")
    clone.load()
    assert Tool.objects.get(source_id="models.dev:openai/gpt-5.4").slug == "openai-gpt-5-4"
    assert Tool.objects.get(source_id="models.dev:sakana/fugu-ultra").slug == "sakana-fugu-ultra"


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
    monkeypatch.setattr(clone_module, "GIT", "no-such-git")
    assert refused(clone.folder).endswith("the program “no-such-git” is not installed.")
