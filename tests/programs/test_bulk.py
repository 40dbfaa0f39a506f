"""The whole public catalogue as files: what is in them, how they are made and sent."""

import csv
import fcntl
import io
import json
import re
import zipfile
from datetime import timedelta
from decimal import Decimal
from errno import ENOSPC
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from reviews.models import Reviewer, Take
from shipskip.catalogue import public_files
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.files import FACTS, TAKES
from shipskip.catalogue.public_files import (
    LIFETIME,
    LONGEST_LIFETIME,
    current_edition,
    edition_of,
)
from shipskip.page_cache.content_version import stored_number
from shipskip.search.models import Synonym
from tests import addresses
from tests import factories as make
from tests.catalogue.documents import as_file, load
from tests.reviews.voters import cast
from tools.models import Attribute, Category, Fact, Family, Tool

pytestmark = pytest.mark.django_db

DOCUMENT, TABLES = addresses.FILES.values()
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def folder(own_var: Path) -> Path:
    """The folder of the files, which does not exist yet."""
    return own_var / "data"


def fetch(client, path: str, headers: dict[str, str] | None = None):
    """The answer with its bytes as `body`; the client closes its file once they are read."""
    answer = client.get(path, headers=headers)
    answer.body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer


def document(client) -> Any:
    return json.loads(fetch(client, DOCUMENT).body)


def tables(client) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(fetch(client, TABLES).body)) as found:
        assert found.testzip() is None
        return {name: found.read(name).decode() for name in found.namelist()}


def public_dump() -> str:
    return "".join(dump(timezone.now()))


def rich_site() -> None:
    """Public rows of every kind, with an answer, a price and everything that only editors see."""
    addresses.sample_site()
    alpha = Tool.objects.get(slug="alpha")
    alpha.family = Family.objects.create(slug="greek", name="Greek")
    alpha.source_id, alpha.gone_from_source_on = "models.dev:secret-id", timezone.now().date()
    alpha.relation, alpha.entry = "affiliate", "paid"
    alpha.save()
    alpha.rename("alpha-two")
    alpha.rename("alpha")
    question = make.attribute(slug="context", asked_in=[alpha.category])
    make.fact(Decimal(128), on=alpha, to=question, note="=1+1", unconfirmed=True)
    make.attribute(slug="platforms", kind="choices", choices=["Linux", "macOS"])
    make.plan(on=alpha, unconfirmed=True)
    Take.objects.filter(tool=alpha).update(held=True)


HIDDEN = "Hidden"
"""In the name or text of everything that is not public."""


def hidden_rows() -> None:
    """A draft, a scheduled, a withdrawn and a deleted row of each kind, and what only they have."""
    now, later = timezone.now(), timezone.now() + HOUR
    alpha, beta = Tool.objects.get(slug="alpha"), Tool.objects.get(slug="beta")
    for number, published_at in enumerate((None, later)):
        closed = make.category(slug=f"hidden-{number}", name=HIDDEN, published_at=published_at)
        question = make.attribute(slug=f"hidden-{number}", name=HIDDEN, asked_in=[closed])
        inside = make.tool(slug=f"hidden-in-{number}", name=HIDDEN, in_category=closed)
        make.fact(Decimal(1), on=inside, to=question, note=HIDDEN)
        draft = make.tool(
            slug=f"hidden-tool-{number}",
            name=HIDDEN,
            published_at=published_at,
            family=Family.objects.create(slug=f"hidden-{number}", name=HIDDEN),
        )
        make.take(on=draft, body=HIDDEN)
        make.plan(on=draft, name=HIDDEN)
        make.take(on=beta, body=HIDDEN, published_at=published_at)
        silent = make.reviewer(slug=f"hidden-{number}", name=HIDDEN, published_at=published_at)
        make.take(on=alpha, by=silent, body=HIDDEN)
        make.comparison(tools=(alpha, draft), summary=HIDDEN)
        third = make.tool(slug=f"third-{number}", in_category=alpha.category)
        make.comparison(tools=(alpha, third), summary=HIDDEN, published_at=published_at)
    for slug, act in (("withdrawn", Tool.withdraw), ("deleted", Tool.remove)):
        gone = make.tool(slug=f"hidden-{slug}", name=HIDDEN)
        make.comparison(tools=(beta, gone), summary=HIDDEN)
        act(gone, now)
    Synonym.objects.create(word=HIDDEN, means="shown")
    make.report(tool=alpha, text=HIDDEN)


@pytest.mark.both_databases
def test_a_file_has_what_readers_see_and_nothing_else(client):
    rich_site()
    editor = User.objects.create_user("hidden.editor", "hidden@example.org", first_name=HIDDEN)
    alpha = Tool.objects.get(slug="alpha")
    alpha.changed_by(editor, HIDDEN)
    alpha.save()
    cast(alpha, "ship")
    make.subscriber(address="hidden.subscriber@example.org")
    hidden_rows()
    asked_in = [alpha.category, Category.objects.get(slug="hidden-0")]
    make.attribute(slug="both", asked_in=asked_in)
    found, files = document(client), tables(client)
    for text in (json.dumps(found), *files.values()):
        assert "idden" not in text
        assert "secret-id" not in text
        assert "models.dev" not in text
        assert not re.search(r'[",]held[",]', text)
    assert "votes" not in json.dumps(found)
    slugs = [row["slug"] for row in found["tools"]]
    assert slugs == ["alpha", "beta", "gamma", "third-0", "third-1"]
    assert [row["slug"] for row in found["families"]] == ["greek"]
    # A question to hidden categories too is not one to all.
    asked = {row["slug"]: row["categories"] for row in found["attributes"]}
    assert asked == {"both": ["agents"], "context": ["agents"], "platforms": []}
    assert len(found["tools"][0]["takes"]) == 2
    assert len(found["tools"][0]["facts"]) == len(found["tools"][0]["plans"]) == 1
    assert [row["tools"] for row in found["comparisons"]] == [["alpha", "beta"]]
    assert "synonyms" not in found


@pytest.mark.both_databases
def test_a_file_is_the_same_after_a_load_into_an_empty_site():
    rich_site()
    hidden_rows()
    first = public_dump()
    for model in (Tool, Reviewer, Category, Family, Synonym):
        model._base_manager.all().delete()
    Attribute.objects.all().delete()
    load(as_file(first))
    assert public_dump() == first
    assert Fact.objects.get().unconfirmed
    assert not load(as_file(first)).changed_anything


def test_the_tables_are_those_of_the_document_and_load(client):
    rich_site()
    found, files = document(client), tables(client)
    rows = {
        name.removesuffix(".csv"): list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        for name, text in files.items()
        if name.endswith(".csv")
    }
    names = "categories reviewers attributes families tools comparisons takes facts plans"
    assert {*rows} == {*names.split()}
    assert [row["slug"] for row in rows["tools"]] == [row["slug"] for row in found["tools"]]
    takes = [take["body"] for tool in found["tools"] for take in tool["takes"]]
    assert [row["body"] for row in rows["takes"]] == takes
    assert rows["facts"][0]["note"] == "'=1+1"
    assert (rows["facts"][0]["value"], rows["facts"][0]["unconfirmed"]) == ("128", "yes")
    assert (rows["plans"][0]["tool"], rows["plans"][0]["amount"]) == ("alpha", "20.00")
    assert json.loads(rows["comparisons"][0]["tools"]) == ["alpha", "beta"]
    assert json.loads(rows["tools"][0]["former_slugs"]) == ["alpha-two"]
    for kind in (TAKES, FACTS):
        text = files[f"{kind.name}.csv"]
        assert not load(io.BytesIO(text.encode()), kind=kind).changed_anything


def test_version_date_and_licence_stand_with_a_file(client, settings, clock):
    settings.DATA_LICENCE = "https://licence.example/"
    make.tool()
    clock(now := timezone.now().replace(microsecond=0))
    version = fetch(client, DOCUMENT)["Data-Version"]
    for path in (DOCUMENT, TABLES):
        answer = fetch(client, path)
        assert answer["Data-Version"] == version
        assert answer["Link"] == '<https://licence.example/>; rel="license"'
        assert answer["Last-Modified"] == f"{now:%a, %d %b %Y %H:%M:%S} GMT"
        assert answer["Content-Disposition"].startswith("attachment; filename=")
    readme, page = tables(client)["README.txt"], client.get("/programs/").content.decode()
    for text in (readme, page):
        assert version in text
        assert "https://licence.example/" in text
    assert f"{now:%Y-%m-%dT%H:%M:%SZ}" in readme
    assert f"{now.day} {now:%B %Y}" in page
    assert DOCUMENT in page
    assert TABLES in page
    assert DOCUMENT in client.get("/llms.txt").content.decode()
    before = fetch(client, TABLES)
    settings.DATA_LICENCE = "https://example.org/licence"
    clock(now + LONGEST_LIFETIME + timedelta(seconds=1))
    assert "https://example.org/licence" in tables(client)["README.txt"]
    after = fetch(client, TABLES)
    assert after["Data-Version"] == before["Data-Version"]
    assert after["ETag"] != before["ETag"]


def test_a_file_is_public_and_revalidates_without_its_bytes(client):
    addresses.sample_site()
    for path, etags in ((DOCUMENT, 2), (TABLES, 1)):
        found = set()
        for encoding in ("gzip", "br, gzip"):
            headers = {"accept-encoding": encoding}
            answer = fetch(client, path, headers=headers)
            assert answer["Cache-Control"] == "public, max-age=0, must-revalidate"
            assert answer["Access-Control-Allow-Origin"] == "*"
            assert answer["Vary"] == "Accept-Encoding"
            assert not answer.cookies
            assert int(answer["Content-Length"]) == len(answer.body) > 400
            head = client.head(path, headers=headers)
            assert (head.status_code, head["ETag"]) == (200, answer["ETag"])
            assert head["Content-Length"] == answer["Content-Length"]
            again = fetch(client, path, headers=headers | {"if-none-match": answer["ETag"]})
            assert (again.status_code, again.body, again["ETag"]) == (304, b"", answer["ETag"])
            assert again["Cache-Control"] == answer["Cache-Control"]
            assert fetch(client, path, headers={"if-none-match": '"other"'}).status_code == 200
            found.add(answer["ETag"])
        assert len(found) == etags
    front = {"x-front": "1"}  # nginx may store a file as it stores a page
    page = client.get("/", headers=front)
    answer = fetch(client, DOCUMENT, headers=front)
    again = fetch(client, DOCUMENT, headers=front | {"if-none-match": answer["ETag"]})
    assert {each["X-Accel-Expires"][0] for each in (page, answer, again)} == {"@"}


def test_a_file_is_made_at_most_once_an_hour_and_only_if_readers_see_something_else(clock, folder):
    tool = make.tool()
    clock(start := timezone.now())
    first = edition_of(start, LIFETIME)
    make.tool(slug="later", published_at=start)
    assert edition_of(start + HOUR, LIFETIME) == first
    clock(then := start + HOUR + timedelta(seconds=1))
    second = edition_of(then, LIFETIME)
    assert second.version != first.version
    assert second.made_at == then
    clock(after := then + 2 * HOUR)
    third = edition_of(after, LIFETIME)
    assert (third.version, third.made_at, third.checked_at) == (second.version, then, after)
    # Another content version, but the same document.
    make.tool(published_at=None, in_category=tool.category)
    fourth = edition_of(after + 2 * HOUR, LIFETIME)
    assert (fourth.name, fourth.made_at) == (second.name, then)
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {second.name}


def test_the_edition_before_stays_for_downloads_and_older_ones_go(clock, folder):
    (folder / "draft-of-a-killed-process").mkdir(parents=True)
    now, names = timezone.now(), []
    for hours in (0, 3, 6):
        make.tool()
        names.append(edition_of(now + hours * HOUR, LIFETIME).name)
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {*names[-2:]}


def test_only_a_download_of_old_files_makes_new_ones_with_what_is_public_then(
    client, clock, monkeypatch
):
    make.tool()
    clock(now := timezone.now())
    etag = fetch(client, DOCUMENT)["ETag"]
    make.tool(slug="soon", published_at=now + timedelta(minutes=10))
    with monkeypatch.context() as patched:
        patched.delattr(public_files, "_made")
        clock(now + LONGEST_LIFETIME)
        assert fetch(client, DOCUMENT).status_code == 200
        assert fetch(client, DOCUMENT, headers={"if-none-match": etag}).status_code == 304
        clock(now + LONGEST_LIFETIME + timedelta(seconds=1))
        assert client.head(TABLES).status_code == 200
    assert "soon" in json.dumps(document(client))


def test_a_download_waits_for_the_first_files_and_damaged_ones_are_made_again(client, folder):
    make.tool()
    with public_files._alone():  # another process makes them
        answer = fetch(client, DOCUMENT)
    assert (answer.status_code, answer["Retry-After"]) == (404, "60")
    answer = fetch(client, DOCUMENT)
    assert answer.status_code == 200
    for text in ("", "{}", "[]", '{"name": "x"}', "\x00"):
        (folder / "current.json").write_text(text)
        assert fetch(client, DOCUMENT)["Data-Version"] == answer["Data-Version"], text
    (lost,) = folder.glob("*/catalogue.json.br")
    lost.unlink()
    assert fetch(client, DOCUMENT, headers={"accept-encoding": "br"}).status_code == 200


def test_files_that_cannot_be_made_now_leave_those_before(client, clock, monkeypatch):
    make.tool()
    clock(now := timezone.now())

    def fetch_on_a_full_disk(path: str):
        full = Mock(side_effect=OSError(ENOSPC, "No space left on device"))
        with monkeypatch.context() as patched:
            patched.setattr(public_files, "_made", full)
            return fetch(client, path)

    answer = fetch_on_a_full_disk(DOCUMENT)
    assert (answer.status_code, answer["Retry-After"]) == (404, "60")
    version = fetch(client, DOCUMENT)["Data-Version"]
    make.tool(published_at=now + timedelta(minutes=10))
    clock(now + LONGEST_LIFETIME + timedelta(seconds=1))
    with public_files._alone():
        answers = [fetch(client, DOCUMENT), fetch_on_a_full_disk(TABLES)]
    answers.append(fetch_on_a_full_disk(TABLES))
    for answer in answers:
        assert (answer.status_code, answer["Data-Version"]) == (200, version)
    assert fetch(client, DOCUMENT)["Data-Version"] != version


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["withdraw", "remove"])
def test_a_file_with_what_is_withdrawn_is_not_sent_and_made_again_at_once(client, folder, act):
    """Never 503, for which nginx sends its old copy; tests/deploy has the process that makes it."""
    take = make.take(on=make.tool(slug="alpha"))
    etag = fetch(client, DOCUMENT)["ETag"]
    make.tool(slug="later")
    assert fetch(client, DOCUMENT)["ETag"] == etag, "an addition waits for the next hour"
    getattr(take, act)(timezone.now())
    with (folder / "work.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as the process that makes it has it
        for path in (DOCUMENT, TABLES):
            for answer in (fetch(client, path), fetch(client, path, {"if-none-match": etag})):
                assert (answer.status_code, answer["Retry-After"]) == (404, "60")
                assert "Try again in a minute." in answer.json()["detail"]
            assert client.head(path).status_code == 404
    call_command("work")
    assert {row["slug"]: row.get("takes") for row in document(client)["tools"]} == {
        "alpha": [],
        "later": [],
    }
    made = current_edition()
    assert made
    earlier = make.take(on=Tool.objects.get(slug="later"))
    getattr(earlier, act)(timezone.now() - timedelta(minutes=1))  # by another machine's clock
    assert made.shows_withdrawn(stored_number() + 1)


def test_the_job_work_makes_the_files_once(capsys):
    make.tool()
    with public_files._alone():
        call_command("work")
    assert current_edition() is None  # a download makes them
    call_command("work")
    made = current_edition()
    assert made
    call_command("work")
    assert current_edition() == made
    said = capsys.readouterr().out
    assert said.count("/data/") == 1
    assert f"Made the files of /data/, version {made.version}." in said
