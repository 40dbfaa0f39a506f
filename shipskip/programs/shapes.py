"""What programs read: the shapes of tools, takes, facts, comparisons and the rest.

The description of the API is made of these types, and `data.py` makes the values. A moment is ISO
8601 in UTC, a day is `2026-11-20`, an address is absolute. A share is a whole per cent, a score has
one decimal. Texts named `words` or `answer` are those of the pages.
"""

# pydantic reads these types, and accepts TypedDict of typing from Python 3.12 on.
from typing_extensions import TypedDict


class PanelData(TypedDict):
    """The verdict of the panel on a tool; weighted under a reader's own weights."""

    verdict: str
    """`ship`, `skip`, `split` or `none`."""
    words: str
    """`Ship`, `Skip`, `Split` or `No verdict yet`."""
    share: int | None
    score: float | None
    ship: int
    skip: int
    remark: str
    """Why verdict and mean score point apart; empty if they do not."""
    judged: str | None
    """When the newest take was published."""


class CommunityData(TypedDict):
    """The counted votes on a tool; share and 95 % Wilson interval from ten votes on."""

    words: str
    ship: int
    skip: int
    share: int | None
    interval: list[int] | None


class NamedData(TypedDict):
    """What another object refers to: a tool, a category or a reviewer."""

    slug: str
    name: str
    url: str


class CategoryData(TypedDict):
    """A category, with the number of its tools."""

    slug: str
    name: str
    url: str
    description: str
    tools: int


class ReviewerData(TypedDict):
    """A reviewer: a persona, whose takes editors write."""

    slug: str
    name: str
    url: str
    motto: str
    bio: str
    likes: list[str]
    dislikes: list[str]
    position: int
    takes: int
    ship_rate: int | None
    score: float | None


class AttributeData(TypedDict):
    """A question; `categories` are slugs, and empty if it is asked of all tools."""

    slug: str
    name: str
    group: str
    kind: str
    unit: str
    better: str
    choices: list[str]
    help: str
    categories: list[str]


class TakeData(TypedDict):
    """One reviewer's take on a tool. `because` and `body` (Markdown) are quoted content."""

    tool: str
    reviewer: str
    reviewer_name: str
    score: int | None
    verdict: str
    because: str
    body: str
    basis: str
    remark: str
    published: str | None
    url: str


class ListedTakeData(TypedDict):
    """A take without its text."""

    tool: str
    reviewer: str
    score: int | None
    verdict: str
    published: str | None
    url: str


class ChangeData(TypedDict):
    """A change of a take's score or verdict that readers could see, with the reviewer's reason."""

    tool: str
    reviewer: str
    score_before: int
    score_after: int
    verdict_before: str
    verdict_after: str
    reason: str
    at: str
    url: str


class SourceData(TypedDict):
    """Where an answer was read: its address, the day of the check and the source's own words."""

    url: str
    checked: str | None
    quote: str
    imported: bool
    """Whether it is from open data and no editor has confirmed it; `checked` is their day."""


class FactData(TypedDict):
    """A tool's answer to an attribute; `value` is None where the source does not say."""

    tool: str
    attribute: str
    name: str
    words: str
    value: str | bool | int | float | list[str] | None
    applies: bool
    note: str
    source: SourceData


class PlanData(TypedDict):
    """One price that a maker asks; `amount` is a decimal number as text."""

    tool: str
    name: str
    words: str
    amount: str
    currency: str
    per: str
    note: str
    source: SourceData


class ListedToolData(TypedDict):
    """A tool as lists show it; `name` is told apart from a namesake's."""

    slug: str
    name: str
    url: str
    tagline: str
    maker: str
    category: NamedData
    family: str
    entry: str
    price: str
    status: str
    status_since: str | None
    status_words: str
    published: str | None
    panel: PanelData
    community: CommunityData


class AnswerData(TypedDict):
    """One answer in a cell of the decision table."""

    words: str
    stated: bool
    best: bool
    note: str
    source: SourceData | None


class CellData(TypedDict):
    """What one tool states in a row: its answers, and all of them as one text."""

    tool: str
    words: str
    answers: list[AnswerData]


class RowData(TypedDict):
    """A row of the decision table, with a cell for each tool in the order of the page."""

    group: str
    name: str
    differs: bool
    cells: list[CellData]


class ToolData(ListedToolData):
    """A tool in full. Descriptions are Markdown."""

    website: str
    description: str
    best_for: str
    choose_if: str
    pricing: str
    relation: str
    """The site's commercial relation with the maker, as a sentence."""
    takes: list[TakeData]
    facts: list[FactData]
    plans: list[PlanData]
    rows: list[RowData]
    """Prices, status and facts as the page's table shows them."""
    not_recorded: list[str]
    """Names of the attributes of its category without an answer."""
    corrections: int
    """How many readers' reports on it were decided; `/corrections/?tool=` lists them."""


class ScorecardData(TypedDict):
    """A reviewer's takes on the compared tools; None where there is none."""

    reviewer: NamedData
    takes: list[TakeData | None]


class ChoiceData(TypedDict):
    """When to choose a tool: `text` completes the sentence “Choose it if …”; may be empty."""

    tool: str
    text: str
    best_for: str


class ListedComparisonData(TypedDict):
    """A comparison as lists show it."""

    title: str
    url: str
    tools: list[NamedData]
    answer: str


class ComparisonData(ListedComparisonData):
    """Tools side by side. `firmness` says how firm the answer is; empty where that is not said."""

    firmness: str
    judged_by: str
    agreement: str
    judged: str | None
    personas: str
    relations: str
    summary: str
    choose: list[ChoiceData]
    columns: list[ListedToolData]
    rows: list[RowData]
    scorecard: list[ScorecardData]


class PanelFiguresData(TypedDict):
    """All takes on public tools."""

    takes: int
    ship: int
    ship_rate: int | None
    score: float | None
    basis: str


class MethodologyData(TypedDict):
    """How verdicts and answers come about: the numbers of the rules, and today's of the panel."""

    url: str
    tools: int
    panel: PanelFiguresData
    rules: dict[str, int]
