"""`manage.py catalogue_from models.dev FOLDER`: what the document has, and what is refused."""

import io
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


def test_a_model_is_a_draft_with_facts_and_prices_from_its_files(clone):
    commit = clone.commit()
    clone.change("models/sakana/fugu-ultra.toml", "context = 1_000_000", "context = 999_999")
    later = clone.commit()
    document, errors = clone.document()
    tools = {tool["source_id"]: tool for tool in document["tools"]}
    gpt = tools["models.dev:openai/gpt-5.4"]
    about = {key: gpt[key] for key in gpt if key not in ("facts", "plans", "source_id")}
    assert about == {
        "slug": "gpt-5-4",
        "name": "GPT-5.4",
        "category": "models",
        "maker": "OpenAI",
        "website": "https://platform.openai.com/docs/models",
        "published": None,
        "label": "",
    }
    facts = {fact["attribute"]: fact["value"] for fact in gpt["facts"]}
    assert facts == {
        "context-window": 1_050_000,
        "output-tokens": 128_000,
        "modalities": ["Text", "Images", "PDF"],
        "gives-out": ["Text"],
        "tool-calling": True,
        "reasoning": True,
        "open-weights": False,
        "first-release": "2026-03-05",
        "knowledge-cutoff": "2025-08-31",
    }
    prices = [(plan["name"], plan["amount"], plan["per"]) for plan in gpt["plans"]]
    assert prices == [
        ("API", "2.50", "1M input tokens"),
        ("API", "15.00", "1M output tokens"),
        ("API, above 272,000 tokens", "5.00", "1M input tokens"),
        ("API, above 272,000 tokens", "22.50", "1M output tokens"),
    ]
    assert {plan["per_user"] for plan in gpt["plans"]} == {False}
    fugu = tools["models.dev:sakana/fugu-ultra"]
    origins = {fact["attribute"]: (fact["source"], fact["checked"]) for fact in fugu["facts"]}
    blob = "https://github.com/anomalyco/models.dev/blob"
    assert origins["context-window"] == (
        f"{blob}/{later}/models/sakana/fugu-ultra.toml",
        "2026-07-01",
    )
    quotes = {fact["attribute"]: fact["quote"] for fact in gpt["facts"]}
    assert quotes["context-window"] == "context = 1_050_000"
    assert quotes["modalities"] == 'input = ["text", "image", "pdf"]'
    assert [plan["quote"] for plan in gpt["plans"]] == ["input = 2.50", "output = 15.00", "", ""]
    assert origins["output-tokens"][0].startswith(f"{blob}/")
    assert origins["output-tokens"][0].endswith("/providers/sakana/models/fugu-ultra.toml")
    assert later not in origins["output-tokens"][0]
    assert commit != later
    assert document["categories"] == [{"slug": "models", "name": "Models", "published": None}]
    # Two models of one name have labels.
    labels = {
        tools[f"models.dev:sakana/{each}"]["label"]
        for each in ("fugu-ultra", "fugu-ultra-20260615")
    }
    assert labels == {"", "20260615"}
    assert tools["models.dev:anthropic/claude-3-7-sonnet-20250219"]["status"] == "discontinued"
    assert errors == [
        "providers/nvidia/models/z-ai/glm-5.1.toml: is not NVIDIA’s own model",
        "providers/zai/models/glm-4.5-flash.toml: cost: 0 may stand for free or for not known; no "
        "price is taken",
        "5 tools read, 2 refused.",
    ]
    assert load(as_file(document)).counts["tools"].created == 5
    assert not Category.objects.get(slug="models").published_at
    fact = Fact.objects.get(tool__slug="glm-4-5-flash", attribute__slug="knowledge-cutoff")
    assert (fact.value, fact.note) == (date(2025, 4, 1), "The source names the month only.")
    assert fact.unconfirmed
    assert Plan.objects.filter(unconfirmed=False).count() == 0


TRAPS = [
    ("name = 7", "has no name"),
    ("name = ", "is no TOML (Invalid value (at end of document))"),
    (b'name = "\xff"', "is not UTF-8"),
    ("x = " + "[" * 5_000, "is no TOML that can be read (nested too deeply)"),
    ("#" * 200_000, "has 200,000 bytes; at most 100,000 are read"),
    (MODEL.replace("1_000", '"big"'), "limit.context: “big” is no number of tokens"),
    (MODEL.replace("1_000", "-1"), "limit.context: “-1” is no number of tokens"),
    (MODEL.replace("1_000", "10" * 99), f"limit.context: “{'10' * 30}” is no number of tokens"),
    (MODEL.replace("= true", '= "yes"'), "tool_call: “yes” is neither true nor false"),
    (
        MODEL.replace("2026-04-01", "2026-13"),
        "release_date: “2026-13” is no date such as 2026-11 or 2026-11-20",
    ),
    (
        MODEL.replace('["text"]', '["smell"]', 1),
        "modalities.input: “['smell']” is no list of text, image, audio, video, pdf",
    ),
    (MODEL.replace("Traps", "x" * 130), "name: is 130 characters long; at most 120 are allowed"),
    ("limit = 3\n" + MODEL.partition("[limit]")[0], None),
    ("[cost]\ninput = nan\noutput = 1", "cost.input: “NaN” is no price"),
    ("[cost]\ninput = 0.0000001\noutput = 1", "cost.input: 1E-7 has more than 6 decimal places"),
    ("[cost]\ninput = -1\noutput = 1", "cost.input: “-1” is no price"),
    ("[cost]\ninput = 1e999999\noutput = 1", "cost.input: “1E+999999” is no price"),
    ("cost = 3", "cost: is no table"),
    ("[cost]\ninput = 1\ntiers = [3]", "cost.tiers: has a tier without a size of context"),
    ('base_model = "xai/gone"', "has the base “xai/gone”, which is not there"),
    ('base_model = "openai/gpt-5.4"', "is not xAI’s own model"),
]


def test_what_cannot_be_read_is_refused_with_a_reason_and_the_rest_is_written(clone):
    expected = {}
    for at, (text, reason) in enumerate(TRAPS):
        is_priced = isinstance(text, str) and text.startswith(("cost", "[cost]", "base_model"))
        path = f"{'providers/xai/models' if is_priced else 'models/xai'}/trap-{at}.toml"
        clone.put(path, f'name = "Trap {at}"\n{text}' if is_priced else text)
        if reason:
            expected[path] = reason
    clone.put("models/xai/six.toml", MODEL.replace("Traps", "Six"))
    clone.put("providers/xai/models/six.toml", "[cost]\ninput = 0.000001\noutput = 0")
    clone.link("providers/xai/models/dangling.toml", "../../nowhere.toml")
    clone.link("providers/xai/models/passwd.toml", "/etc/passwd")
    clone.link("providers/xai/models/above.toml", "../../../../../etc/passwd")
    clone.link("providers/xai/models/round.toml", "round.toml")
    clone.link("providers/xai/models/folder.toml", "../../openai")
    clone.link("providers/xai/models/linked.toml", "six.toml")
    expected |= {
        "providers/xai/models/dangling.toml": "is a link to providers/nowhere.toml, which is not "
        "there",
        "providers/xai/models/passwd.toml": "is a link out of the clone (/etc/passwd)",
        "providers/xai/models/above.toml": "is a link out of the clone (../../../../../etc/passwd)",
        "providers/xai/models/round.toml": "is a link to a link without end",
        "providers/xai/models/folder.toml": "is a link to providers/openai, which is a folder",
        "providers/xai/models/linked.toml": "has no name",
    }
    clone.commit()
    document, errors = clone.document()
    found = dict(line.split(": ", 1) for line in errors if "/xai/" in line)
    found |= {"providers/xai/models/linked.toml": found.pop("providers/xai/models/six.toml", "")}
    assert {path: found.get(path) for path in expected} == expected
    assert found.keys() == expected.keys()
    six = next(tool for tool in document["tools"] if tool["name"] == "Six")
    assert [plan["amount"] for plan in six["plans"]] == ["0.000001"]
    load(as_file(document))


def test_slugs_and_labels_tell_models_apart(clone):
    names = [
        "xai/One.5",
        "xai/one-5",
        "mistral/one-5",
        "xai/a-vs-b",
        "xai/" + "long-" * 30,
        "xai/模型",
    ]
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
