"""Lists that follow a sentence without a blank line, as in CommonMark."""

import re

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

ITEM = re.compile(r" {0,3}(?:[-*+]|1\.)[ \t]+\S")
"""The first line of a list that may follow a paragraph directly (CommonMark 0.31, section 5.3)."""
PRIORITY = 15
"""After the preprocessors that set code and HTML aside."""


class BlankLineBeforeList(Preprocessor):
    """Separate a list from the paragraph above; the parser would make it part of the paragraph."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines, with a blank one before each list that follows a paragraph."""
        found: list[str] = []
        in_paragraph = in_list = False
        for line in lines:
            if not line.strip():
                in_paragraph = in_list = False
            elif ITEM.match(line):
                found += [""] if in_paragraph else []
                in_paragraph, in_list = False, True
            elif not in_list:
                in_paragraph = True
            found.append(line)
        return found


class ListsAfterSentences(Extension):
    """Adds BlankLineBeforeList to a parser."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the library's name
        """Register it."""
        md.preprocessors.register(BlankLineBeforeList(md), "blank_line_before_list", PRIORITY)
