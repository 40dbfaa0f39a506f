"""The form to cast a vote: a private page, its POST, and the same with HTMX."""

from django.db import IntegrityError
from django.http import Http404

from reviews import voting
from shipskip.web.visitor_forms import ChoiceForm, Context
from tools.models import Tool


class VoteForm(ChoiceForm):
    """Casts, changes or withdraws a visitor's vote on a tool."""

    url_name, field, choices = "reviews:vote", "choice", ("ship", "skip", "none")
    template, changed_template = "reviews/vote.html", "reviews/_vote_response.html"
    no_choice = "Choose ship, skip, or take your vote back."
    not_remembered = (
        "Your vote counts, but this browser stores no cookies of this site: you cannot change the"
        " vote or take it back later."
    )
    unavailable = (
        "Your vote could not be saved. Your choice is still in the form: send it again in a moment."
    )
    mine: voting.VisitorVote | None = None

    def find(self) -> Tool | None:
        """The public tool to vote on."""
        return Tool.objects.for_detail_page(self.now).at(self.slug)

    def choose(self, chosen: str) -> bool:
        """Cast the vote."""
        tool, choice = self.tool, "" if chosen == "none" else chosen
        try:
            self.mine = voting.cast(
                tool, self.visitor, choice, self.network, self.now, is_new=self.is_new
            )
        except IntegrityError:
            raise Http404("This tool is no longer here.") from None
        return self.mine.is_stored

    def message(self, chosen: str) -> str:
        """The message to the voter."""
        if chosen != "none":
            return f"You voted {chosen}."
        if self.is_new:
            return "This browser has no vote here that could be taken back."
        return "You have no vote on this tool now."

    def context(self) -> Context:
        """The tool, this visitor's choice and the tally."""
        tool, visitor = self.tool, None if self.is_new else self.visitor
        mine = self.mine or voting.votes_of(visitor, [tool.pk])[tool.pk]
        names = {"tool": tool, "slug": tool.slug, "title": tool.title}
        return names | {"choice": mine.choice, "message": mine.message, "tally": mine.tally}


vote, vote_in_place = VoteForm.views()
