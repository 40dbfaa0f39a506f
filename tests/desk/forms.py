"""Form data of the desk's pages, and their errors."""

from django.contrib.messages import get_messages

from reviews.models import Reviewer
from tests.markup import read

ADD = "/admin/tools/tool/add/"


def list_of(row):
    """The address of the list of a row's kind."""
    return f"/admin/{row._meta.app_label}/{row._meta.model_name}/"


def page_of(row, action="change"):
    """The address of a row's form, or of another action on it (`history/7`)."""
    return f"{list_of(row)}{row.pk}/{action}/"


def opened(client, row):
    """The data that a browser would submit of a row's form, unchanged."""
    return on_the_page(client.get(page_of(row)))


def post(client, row, **changes):
    """Send the form of a row with these changes."""
    return client.post(page_of(row), opened(client, row) | changes)


def messages_of(response):
    """The messages and notices of a page, or the messages for the page that follows."""
    found = [str(message) for message in get_messages(response.wsgi_request)]
    return found + list((response.context or {}).get("notices", []))


def tool_form(tool=None, *, takes=(), **changes):
    """Form data of a tool's page: the tool's fields and its takes."""
    data: dict[str, object] = {"name": "Written", "slug": "written", "tagline": "A tool"}
    data |= {"category": "", "published_at": ""}
    data |= {"entry": "free", "status": "unknown", "relation": "none"}
    if tool:
        data |= {"name": tool.name, "slug": tool.slug, "category": tool.category_id}
        data["tagline"] = tool.tagline or "A tool"
        data["published_at"] = sent_moment(tool.published_at)
    for name in ("takes", "facts", "plans"):
        data |= {f"{name}-TOTAL_FORMS": 0, f"{name}-INITIAL_FORMS": 0}
    data["takes-TOTAL_FORMS"] = len(takes)
    for at, row in enumerate(takes):
        data |= {f"takes-{at}-{key}": value for key, value in row.items()}
    return data | changes


def take_name(reviewer):
    """The start of the names of the fields of a reviewer's take on a tool's page."""
    at = [row.pk for row in Reviewer.objects.all()].index(getattr(reviewer, "pk", reviewer))
    return f"takes-{at}"


def take_fields(reviewer, **fields):
    """Form data of these fields of a reviewer's take on a tool's page."""
    return {f"{take_name(reviewer)}-{name}": value for name, value in fields.items()}


def sent_moment(moment):
    """A moment as its field submits it."""
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else ""


def written_take(reviewer, **changes):
    """Form data of one reviewer's take, to be published with its tool."""
    return {"key": reviewer.pk, "score": "84", "verdict": "ship", "body": "Good."} | changes


def comparison_form(*tools, **changes):
    """Form data of a comparison's page with these tools, given by their keys."""
    chosen = {f"tool_list-{at}-tool": key for at, key in enumerate(tools)}
    counts = {"tool_list-TOTAL_FORMS": max(10, len(tools)), "tool_list-INITIAL_FORMS": 0}
    return {**chosen, **counts, "summary": ""} | changes


def errors(response):
    """All errors of a page, by field."""
    found = dict(response.context["adminform"].form.errors)
    for formset in response.context["inline_admin_formsets"]:
        for form in formset.formset.forms:
            found |= {form.add_prefix(key): texts for key, texts in form.errors.items()}
        if formset.formset.non_form_errors():
            found[formset.formset.prefix] = formset.formset.non_form_errors()
    return found


def on_the_page(response):
    """The data a browser would submit of a change form: every field, unchanged."""
    sent: dict[str, str] = {}
    for element in read(response).elements:
        form, field = element.within("form"), element.attributes
        if element.name == "option" and (chooser := element.within("select")):
            field = chooser.attributes if "selected" in field else {}
        if not form or not form.attributes.get("id", "").endswith("_form") or "disabled" in field:
            continue
        name, kind = field.get("name"), field.get("type")
        if not name or kind in ("submit", "button") or element.name in ("select", "button"):
            continue
        if element.name == "textarea":
            sent[name] = "".join(element.pieces).removeprefix("\n")
        elif element.name == "option":
            sent[name] = element.attributes["value"]
        elif kind not in ("checkbox", "radio") or "checked" in field:
            sent[name] = field.get("value", "on" if "checked" in field else "")
    return sent
