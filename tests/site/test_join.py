"""Joining the newsletter is not open yet, and says so without a dead form."""

from tests.site.markup import read


def test_the_page_says_so_with_the_status_that_means_it(client):
    response = client.get("/newsletter/join/")
    assert response.status_code == 503
    page = read(response)
    assert page.heading == "The newsletter is not open yet"
    assert page.all("form") == []
    assert "no-store" in response["Cache-Control"]


def test_nothing_can_be_sent_to_it(client):
    response = client.post("/newsletter/join/", {"email": "a@b.example"})
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
