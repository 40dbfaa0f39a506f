"""Names and addresses of sources. No database here.

A file of a repository is named after the file, its repository and the version; any other page after
its address.
"""

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from shipskip.web.text import shorten

MAX_LENGTH = 80
"""Maximum characters of a source's name."""
SHORT_COMMIT = 7
"""How many characters of a commit a name contains."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_TRACKING_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_")
_TRACKING = {
    *("dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igshid", "li_fat_id", "mc_cid", "mc_eid"),
    *("mkt_tok", "msclkid", "ref_src", "ref_url", "trk", "ttclid", "twclid", "wbraid", "yclid"),
    *("_ga", "_gl", "_hsenc", "_hsmi"),
}
"""Parameters by which advertisers, mailings and social networks follow a reader; so does `ref`,
unless it names a version of a repository.
"""
_VERSION = re.compile(r"main|master|head|v?\d[\w.-]*|[0-9a-f]{7,40}", re.IGNORECASE)

_COMMON_STEMS = ("_index", "index", "overview", "readme")
"""Files of these names are told apart by their folders."""


class RepositoryPage(NamedTuple):
    """A file, a folder, a release or a commit of a repository."""

    owner: str
    repository: str
    version: str
    """A tag, a branch or a commit."""
    name: str
    """Of the file, with its folder if many files have this name, or of the folder; empty for a
    release and a commit.
    """


def source_name(url: str) -> str:
    """Name a source: `README.md in cline/cline at v3.1`, `release v3.1 of cline/cline`,
    `commit 5dc9490 of cline/cline`, `docs.vllm.ai/en/latest/usage`, `acme.example/docs/…/limits`.
    """
    page = _repository_page(url)
    if page is None:
        return shorten(_host_and_path(url), MAX_LENGTH)
    repository = f"{page.owner}/{page.repository}"
    commit = _COMMIT.fullmatch(page.version)
    version = page.version[:SHORT_COMMIT] if commit else page.version
    if not page.name:
        kind = "commit" if commit else "release"
        return shorten(f"{kind} {version} of {repository}", MAX_LENGTH)
    return shorten(f"{page.name} in {repository} at {version}", MAX_LENGTH)


def without_tracking(url: str) -> str:
    """The address without the parameters that follow a reader; all else is as it was."""
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in given if not _is_tracking(name, value)]
    if len(kept) == len(given):
        return url
    return urlunsplit(parts._replace(query=urlencode(kept)))


def _is_tracking(name: str, value: str) -> bool:
    name = name.lower()
    if name == "ref":
        return _VERSION.fullmatch(value) is None
    return name in _TRACKING or name.startswith(_TRACKING_PREFIXES)


def _host(url: str) -> str:
    return (urlsplit(url).hostname or url).removeprefix("www.")


def _segments(url: str) -> list[str]:
    return [unquote(part) for part in urlsplit(url).path.split("/") if part]


def _repository_page(url: str) -> RepositoryPage | None:
    """The page of a repository at GitHub, GitLab, Codeberg or Hugging Face; None for another."""
    host, parts = _host(url), _segments(url)
    if len(parts) < 4:
        return None
    owner, repository, *rest = parts
    if host == "raw.githubusercontent.com":
        return _file(owner, repository, rest)
    if host not in ("github.com", "gitlab.com", "codeberg.org", "huggingface.co"):
        return None
    match [part for part in rest if part != "-"]:
        case ["releases", "tag", *tag] if tag:
            return RepositoryPage(owner, repository, "/".join(tag), "")
        case ["commit", commit] if _COMMIT.fullmatch(commit):
            return RepositoryPage(owner, repository, commit, "")
        case ["blob" | "tree" | "raw" | "resolve", *version_and_path]:
            return _file(owner, repository, version_and_path)
        case ["src", "branch" | "tag" | "commit", *version_and_path]:
            return _file(owner, repository, version_and_path)
    return None


def _file(owner: str, repository: str, version_and_path: list[str]) -> RepositoryPage | None:
    """The file at the end of a path that begins with the version."""
    if version_and_path[:1] == ["refs"]:
        version_and_path = version_and_path[2:]
    if len(version_and_path) < 2:
        return None
    version, *folders, name = version_and_path
    if folders and name.partition(".")[0].lower() in _COMMON_STEMS:
        name = f"{folders[-1]}/{name}"
    return RepositoryPage(owner, repository, version, name)


def _host_and_path(url: str) -> str:
    """Host, and the first and the last parts of the path."""
    parts = _segments(url)
    if len(parts) > 3:
        parts = [parts[0], "…", *parts[-2:]]
    return "/".join([_host(url), *parts])
