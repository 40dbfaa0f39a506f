"""Facts as CSV at the desk: recognised, previewed, loaded when confirmed."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests import factories as make
from tools.models import Fact

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("upload_folder")]

PATH = "/admin/exchange/"


def test_a_file_is_loaded_once_its_changes_are_confirmed(publisher):
    make.tool(slug="alpha", name="Alpha")
    make.attribute(slug="size")
    file = SimpleUploadedFile("facts.csv", b"tool,attribute,value\nalpha,size,5\n")
    page = publisher.post(PATH, {"file": file}).content.decode()
    assert "size of alpha" in page
    assert not Fact.objects.exists()
    ticket = re.search(r'name="ticket" value="([^"]+)"', page)
    assert ticket
    assert publisher.post(f"{PATH}load/", {"ticket": ticket[1]}).status_code == 302
    fact = Fact.objects.get()
    assert (fact.value, fact.history.get().history_user.username) == (5, "paula")


def test_a_writer_cannot_download_the_facts(writer):
    assert writer.get(f"{PATH}download/facts/").status_code == 403
