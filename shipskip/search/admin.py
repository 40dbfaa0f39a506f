"""The desk's screen of synonyms."""

from django.contrib import admin

from shipskip.editing.versioned_admin import VersionedAdmin
from shipskip.search.models import Synonym


@admin.register(Synonym)
class SynonymAdmin(VersionedAdmin[Synonym]):
    """Synonyms by word: a search for one side also finds the other."""

    list_display = ["word", "means"]
    fields = ["word", "means"]
    search_fields = ["word", "means"]
