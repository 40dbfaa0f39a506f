"""One stylesheet and one script for the reader, written as one file a component.

A page may make six requests; the sources stay small. This finder joins the files of
`static/css` and `static/js` in a fixed order, minified, and offers the result to Django's
static files like any other file, in development and to `collectstatic` alike.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import rcssmin
import rjsmin
from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

# Order matters for the cascade: values first, then bare elements, then the page, then its parts.
CSS_FIRST = ("tokens.css", "base.css", "layout.css")
BUNDLES = {"site.css": ("css", rcssmin.cssmin), "site.js": ("js", rjsmin.jsmin)}


def sources(name: str) -> list[Path]:
    """The files that make up a bundle, in order."""
    folder = Path(settings.BASE_DIR) / "static" / BUNDLES[name][0]
    first = [folder / part for part in CSS_FIRST] if name == "site.css" else []
    return first + sorted(
        path for path in folder.glob(f"*{Path(name).suffix}") if path not in first
    )


def build(name: str) -> Path:
    """Write the bundle if a source is newer than it, and return its path."""
    target = Path(settings.VAR_DIR) / "bundles" / name
    files = sources(name)
    newest = max(path.stat().st_mtime_ns for path in [*files, files[0].parent])
    if not target.exists() or target.stat().st_mtime_ns < newest:
        minify = BUNDLES[name][1]
        target.parent.mkdir(parents=True, exist_ok=True)
        joined = "\n".join(path.read_text() for path in files)
        draft = target.with_suffix(f".{id(joined)}")
        draft.write_text(minify(joined))
        draft.replace(target)
    return target


class BundleFinder(BaseFinder):
    """Finds `site.css` and `site.js`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.storage = FileSystemStorage(location=Path(settings.VAR_DIR) / "bundles")

    def check(self, **kwargs: Any) -> list[Any]:
        """Nothing of a bundle is configured, so nothing can be configured wrongly."""
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002
        """The bundle's path when `path` names one, freshly built."""
        if path not in BUNDLES:
            return []
        found = str(build(path))
        return [found] if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        """Every bundle, for `collectstatic`."""
        for name in BUNDLES:
            build(name)
            yield name, self.storage
