"""The site's commercial relations with makers, in words. No database here."""

from collections.abc import Sequence

from django.db.models import TextChoices


class Relation(TextChoices):
    """The commercial relation of this site with a tool's maker."""

    NONE = "none", "None"
    AFFILIATE = "affiliate", "Links to it earn this site money"
    SPONSOR = "sponsor", "Its maker pays this site"
    OWNER = "owner", "Its maker and this site have an owner in common"


NO_RELATION = Relation.NONE
"""The relation of a tool of which no editor says otherwise."""

_SENTENCES = {
    Relation.AFFILIATE: "Links to {} earn this site money.",
    Relation.SPONSOR: "The maker of {} pays this site.",
    Relation.OWNER: "The maker of {} and this site have an owner in common.",
}


def relations_in_words(tools: Sequence[tuple[str, str]]) -> str:
    """The relations with the makers of a page's tools, each a title and a Relation: `No commercial
    relation with these makers.`, `The maker of A pays this site. No commercial relation with other
    makers.`
    """
    said = [
        _SENTENCES[Relation(relation)].format(title)
        for title, relation in tools
        if relation != Relation.NONE
    ]
    if len(said) < len(tools):
        others = "other makers" if said else "these makers" if len(tools) > 1 else "its maker"
        said.append(f"No commercial relation with {others}.")
    return " ".join(said)
