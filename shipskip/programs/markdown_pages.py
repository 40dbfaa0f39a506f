"""Pages as Markdown, from the values of data.py.

Texts of editors, makers and sources are quoted on lines of their own, so that no line of theirs
reads as one of ours; descriptions and takes are Markdown themselves. Names and the cells of tables
cannot be.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from shipskip.programs.shapes import (
    CategoryData,
    ComparisonData,
    ListedToolData,
    MethodologyData,
    ReviewerData,
    RowData,
    SourceData,
    TakeData,
    ToolData,
)

VERDICT_RULE = (
    "The panel ships a tool if more than half of its takes say ship, skips it if fewer than half "
    "do, and is split at exactly half. Neither the mean score nor readers’ votes count in that."
)

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def plain(text: str) -> str:
    """A text on one line, in which no character is markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def comparison_markdown(page: ComparisonData) -> str:
    """A comparison: the answer, when to choose which tool, the table, all takes and sources."""
    names = {tool["slug"]: tool["name"] for tool in page["tools"]}
    basis = [page["judged_by"], page["agreement"], page["firmness"]]
    return _document(
        f"# {plain(page['title'])}",
        f"**{plain(page['answer'])}**",
        *map(plain, filter(None, basis)),
        plain(f"{page['personas']} {page['relations']}"),
        _list(_choice(names[row["tool"]], row["text"], row["best_for"]) for row in page["choose"]),
        _quote(page["summary"]),
        "## The decision",
        _table(["", *names.values()], [_cells(row) for row in page["rows"]]),
        "## The reviewers’ scorecard",
        *(
            part
            for row in page["scorecard"]
            for part in [
                f"### {plain(row['reviewer']['name'])}",
                *(
                    _take(name, take)
                    for name, take in zip(names.values(), row["takes"], strict=True)
                ),
            ]
        ),
        _sources(page["rows"], names),
        f"Source: {page['url']}",
    )


def tool_markdown(tool: ToolData) -> str:
    """A tool: verdict, facts and prices, takes and sources."""
    panel = tool["panel"]
    return _document(
        f"# {plain(tool['name'])}",
        _quote(plain(tool["tagline"])),
        f"**{plain(_verdict(tool))}**",
        plain(panel["remark"]),
        _list(
            [
                f"Category: {_link(tool['category']['name'], tool['category']['url'])}",
                f"Community: {plain(tool['community']['words'])}",
                f"Entry price: {plain(tool['price'])}",
                *(f"Best for: {plain(text)}" for text in [tool["best_for"]] if text),
                *(f"Maker: {plain(text)}" for text in [tool["maker"]] if text),
                f"Our interest: {plain(tool['relation'])}",
                *(f"Website: <{text}>" for text in [tool["website"]] if text),
            ]
        ),
        _quote(tool["description"]),
        "## The panel’s takes",
        *(_take(take["reviewer_name"], take) for take in tool["takes"]),
        "## Facts and prices",
        _table(["", tool["name"]], [_cells(row) for row in tool["rows"]]),
        _sources(tool["rows"], {}),
        f"Source: {tool['url']}",
    )


def tools_markdown(title: str, text: str, tools: Sequence[ListedToolData], url: str) -> str:
    """A list of tools, one line each; `text` is Markdown of the editors."""
    lines = (
        _with_quote(f"{_link(tool['name'], tool['url'])}: {plain(_listed(tool))}", tool["tagline"])
        for tool in tools
    )
    return _document(f"# {plain(title)}", _quote(text), _list(lines), f"Source: {url}")


def category_markdown(category: CategoryData, tools: Sequence[ListedToolData]) -> str:
    """A category and its tools."""
    return tools_markdown(category["name"], category["description"], tools, category["url"])


def categories_markdown(categories: Sequence[CategoryData], url: str) -> str:
    """All categories, each with its number of tools."""
    lines = (f"{_link(row['name'], row['url'])}: {row['tools']:,} tools" for row in categories)
    return _document("# Categories", _list(lines), f"Source: {url}")


def verdict_markdown(tool: ToolData, methodology_url: str) -> str:
    """How the verdict on a tool came about: the rule, who scored it how and why, and the votes."""
    return _document(
        f"# The verdict on {plain(tool['name'])}",
        f"**{plain(_verdict(tool))}**",
        plain(tool["panel"]["remark"]),
        VERDICT_RULE,
        *(_take(take["reviewer_name"], {**take, "body": ""}) for take in tool["takes"]),
        f"Community: {plain(tool['community']['words'])}",
        f"The rules in words: {methodology_url}",
        f"Source: {tool['url']}",
    )


def reviewer_markdown(row: ReviewerData, takes: Sequence[TakeData]) -> str:
    """A reviewer, and their newest takes."""
    return _document(
        f"# {plain(row['name'])}",
        plain(row["motto"]),
        f"{row['takes']:,} takes · {_or_dash(row['ship_rate'])}% ship"
        f" · mean score {_or_dash(row['score'])}",
        _quote(row["bio"]),
        _list(f"Wins them: {plain(text)}" for text in row["likes"]),
        _list(f"Loses them: {plain(text)}" for text in row["dislikes"]),
        "## Newest takes",
        *(_take(take["tool"], take) for take in takes),
        f"Source: {row['url']}",
    )


def methodology_markdown(row: MethodologyData) -> str:
    """The numbers of the methodology."""
    rules = [[plain(name.replace("_", " ")), f"{value:,}"] for name, value in row["rules"].items()]
    panel = row["panel"]
    return _document(
        "# How a verdict comes about: the numbers",
        f"{panel['takes']:,} takes on {row['tools']:,} tools · {_or_dash(panel['ship_rate'])}% ship"
        f" · mean score {_or_dash(panel['score'])}",
        plain(panel["basis"]),
        _table(["Rule", "Number"], rules),
        f"The rules in words: {row['url']}",
    )


def _document(*parts: str) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def _with_quote(line: str, text: str) -> str:
    """A line, and a quoted text below it."""
    return f"{line}\n{_quote(plain(text))}" if text else line


def _link(name: str, url: str) -> str:
    return f"[{plain(name)}]({url})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [[plain(cell) for cell in head], ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(row: RowData) -> list[str]:
    return [plain(row["name"]), *(plain(cell["words"]) for cell in row["cells"])]


def _choice(name: str, text: str, best_for: str) -> str:
    if text:
        return f"Choose **{plain(name)}** if {plain(text)}"
    return f"**{plain(name)}**" + (f", best for: {plain(best_for)}" if best_for else "")


def _take(name: str, take: TakeData | None) -> str:
    if take is None:
        return f"**{plain(name)}**: No panel take"
    about = [f"{take['score']}/100 · {take['verdict']}", (take["published"] or "")[:10]]
    head = f"**{plain(name)}**: {' · '.join(filter(None, [*about, take['basis'], take['remark']]))}"
    return _document(head, _quote(f"{take['because']}\n\n{take['body']}")).rstrip()


def _verdict(tool: ListedToolData) -> str:
    panel = tool["panel"]
    if panel["score"] is None:
        return panel["words"]
    counts = f"{panel['ship']} ship / {panel['skip']} skip"
    return f"{panel['words']} · {counts} · mean score {panel['score']}"


def _listed(tool: ListedToolData) -> str:
    parts = [_verdict(tool), tool["price"], tool["status_words"]]
    return " · ".join(filter(None, parts))


def _sources(rows: Sequence[RowData], names: Mapping[str, str]) -> str:
    """The sources of answers; each after the name of its tool, if `names` has it by its slug."""
    lines: list[str] = []
    for row in rows:
        for cell in row["cells"]:
            name = f"{names[cell['tool']]} · {row['name']}" if names else row["name"]
            sources = [answer["source"] for answer in cell["answers"]]
            lines += [_source(name, each) for each in sources if each and each["url"]]
    return _document("## Sources", _list(dict.fromkeys(lines))).rstrip() if lines else ""


def _source(name: str, source: SourceData) -> str:
    word = "imported, not confirmed, data of" if source["imported"] else "checked"
    checked = f", {word} {source['checked']}" if source["checked"] else ""
    return _with_quote(f"{plain(name)}: <{source['url']}>{checked}", source["quote"])


def _or_dash(number: float | None) -> str:
    return "—" if number is None else str(number)
