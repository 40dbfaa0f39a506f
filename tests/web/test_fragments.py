"""Fragments that a process renders once for the same values."""

from django.template import Context, Template

from shipskip.web.fragments import fragment, fragment_for_page


def test_equal_values_give_the_kept_html_and_others_their_own():
    one = fragment("_disclosure.html", text="One & only.")
    assert "One &amp; only." in one
    assert fragment("_disclosure.html", text="One & only.") is one
    assert "Two" in fragment("_disclosure.html", text="Two.")


def test_what_differs_from_page_to_page_is_escaped_and_not_kept():
    pages = ['/tools/?a="1"&b=2', "/tools/"]
    values = {"slug": "alpha", "title": "Alpha"}
    one, other = (
        fragment_for_page("_vote.html", gap="next", text=page, **values) for page in pages
    )
    assert 'name="next" value="/tools/?a=&quot;1&quot;&amp;b=2"' in one
    assert 'name="next" value="/tools/"' in other
    assert one.partition("name=")[0] == other.partition("name=")[0]


def test_a_fragment_in_a_template_sees_nothing_of_the_page():
    page = Template('{% fragment "_newsletter.html" %}')
    assert page.render(Context({"join_title": "Elsewhere"})) == page.render(Context())
