"""What a template renders once a process is the same for all, and tells nothing of anybody."""

import pytest
from django.template import Context, RequestContext, Template, TemplateSyntaxError
from django.test import RequestFactory

from shipskip.web.paths import path_of
from tests import factories as make


def test_it_is_rendered_once(monkeypatch):
    page = Template("<{% once %}{% url 'tools:list' %}{% endonce %}>")
    assert page.render(Context()) == "</tools/>"
    monkeypatch.setattr("django.urls.reverse", None)
    assert page.render(Context()) == "</tools/>"


def test_nothing_of_the_first_page_is_seen_by_the_next():
    page = Template("{% once %}{% if name %}{% csrf_token %}Somebody{% endif %}x{% endonce %}")
    request = RequestFactory().get("/")
    assert page.render(RequestContext(request, {"name": "Ada"})) == "x"
    assert page.render(Context({"name": "Bob"})) == "x"


@pytest.mark.parametrize("held", ["{{ name }}", "{% if a %}{{ a }}{% endif %}"])
def test_a_variable_in_it_is_a_fault(held):
    with pytest.raises(TemplateSyntaxError, match="no variable"):
        Template(f"{{% once %}}{held}{{% endonce %}}")


def test_a_block_in_it_is_a_fault():
    with pytest.raises(TemplateSyntaxError, match="no block"):
        Template("{% once %}{% block a %}{% endblock %}{% endonce %}")


@pytest.mark.django_db
def test_a_renamed_tool_has_its_new_path_at_once():
    tool = make.tool(slug="old")
    assert tool.get_absolute_url() == path_of("tools:detail", "old") == "/tools/old/"
    tool.rename("new")
    assert tool.get_absolute_url() == "/tools/new/"
