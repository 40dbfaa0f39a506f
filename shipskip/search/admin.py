"""The desk's screen of synonyms."""

from django.contrib import admin

from shipskip.editing.admin_base import BaseAdmin
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.search.models import Synonym


@admin.register(Synonym)
class SynonymAdmin(BaseAdmin[Synonym]):
    """Synonyms by word: a search for one side also finds the other."""

    form = ConflictForm
    list_display = ["word", "means", "last_changed"]
    fields = ["word", "means"]
    search_fields = ["word", "means"]
