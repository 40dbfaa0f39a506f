"""A static files finder that builds the CSS and JavaScript bundles.

Readers load at most two stylesheets and one script, the editors' desk one of each, because a page
may make few requests; the sources are small, one file per component. The finder concatenates the
files of `static/css` and `static/js` in a fixed order, minifies them, and offers the bundles to
Django like any other static file, in development and to `collectstatic`. Most readers open a
comparison of two tools, which loads only `site.css`: rules that it does not need are in
`static/css/other_pages`. The desk adds the files of `static/css/desk` and `static/js/desk` to
Django's own.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import rcssmin
import rjsmin
from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

# Order matters for the cascade: variables, then bare elements, then the page, then its parts.
CSS_FIRST = ("tokens.css", "base.css", "layout.css")
DESK_FIRST = ("../tokens.css", "../base.css", "../portrait.css", "../prose.css")
BUNDLES = {
    "site.css": ("css", rcssmin.cssmin, CSS_FIRST),
    "other_pages.css": ("css/other_pages", rcssmin.cssmin, ()),
    "site.js": ("js", rjsmin.jsmin, ()),
    "desk.css": ("css/desk", rcssmin.cssmin, DESK_FIRST),
    "desk.js": ("js/desk", rjsmin.jsmin, ()),
}


def sources(name: str) -> list[Path]:
    """The files that make up a bundle, in order."""
    place, _, parts = BUNDLES[name]
    folder = Path(settings.BASE_DIR) / "static" / place
    first = [(folder / part).resolve() for part in parts]
    return first + sorted(
        path for path in folder.glob(f"*{Path(name).suffix}") if path.resolve() not in first
    )


def _joined(name: str, files: list[Path]) -> str:
    """Concatenate the files. At the desk, base.css and prose.css apply in previews only, where the
    admin's own styles are reverted: the id in the selector gives ours the higher specificity.
    """
    texts = {path.name: path.read_text() for path in files}
    if name == "desk.css":
        site = texts.pop("base.css") + texts.pop("prose.css")
        texts["previews"] = f"#content .site-styles {{\n* {{ all: revert }}\n{site}\n}}"
    return "\n".join(texts.values())


def build(name: str) -> Path:
    """Write the bundle if a source may be newer than it, and return its path."""
    target = Path(settings.VAR_DIR) / "bundles" / name
    files = sources(name)
    newest = max(path.stat().st_mtime_ns for path in [*files, files[0].parent])
    if not target.exists() or target.stat().st_mtime_ns <= newest:
        minify = BUNDLES[name][1]
        target.parent.mkdir(parents=True, exist_ok=True)
        joined = _joined(name, files)
        draft = target.with_suffix(f".{id(joined)}")
        draft.write_text(minify(joined))
        draft.replace(target)
    return target


class BundleFinder(BaseFinder):
    """Finds the bundles by name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.storage = FileSystemStorage(location=Path(settings.VAR_DIR) / "bundles")

    def check(self, **kwargs: Any) -> list[Any]:
        """Bundles have no configuration, so there is nothing to check."""
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002
        """The path of the bundle that `path` names, rebuilt if needed; [] for other paths."""
        if path not in BUNDLES:
            return []
        found = str(build(path))
        return [found] if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        """Every bundle, for `collectstatic`."""
        for name in BUNDLES:
            build(name)
            yield name, self.storage
