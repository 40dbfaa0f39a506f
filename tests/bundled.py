"""Write docs/bundled.md: the libraries that come with the site, their versions and licences.

`python -m tests.bundled`, after each `make lock`; a test compares the document with the lock file.
"""

import re
from importlib.metadata import PackageNotFoundError, files, metadata

from shipskip.programs.pictures.lines import FONTS
from tests.source_files import ROOT

DOCUMENT = ROOT / "docs" / "bundled.md"
SHORT = {
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
HEAD = """# What is bundled

Made by `python -m tests.bundled`; change nothing here by hand.

## In the pages

The script and the typeface that our own origin serves to browsers, with their licences beside
them. The typeface is Newsreader’s variable upright at optical size 40 and weights 500 to 700, with
the letters of Western European languages alone.

"""
FONTS_HEAD = """
## In the pictures

The fonts that pictures of cards are drawn with, in `shipskip/programs/pictures/fonts`, their
licence beside them.

"""
LIBRARIES = """
## In the process

Every library of `requirements.lock` with the licence that it names itself. “Other platforms” are
those that the machine on which this was written does not need.

| library | version | licence |
|---|---|---|
"""


def vendored() -> list[str]:
    """A row for each folder of static/vendor, named for what it holds and its version."""
    rows = ["| file | version | licence |", "|---|---|---|"]
    for folder in sorted((ROOT / "static" / "vendor").iterdir()):
        name, _, version = folder.name.rpartition("-")
        licence = (folder / "LICENSE").read_text().strip().splitlines()[0].strip("# ")
        rows.append(f"| {name} | {version} | {licence} |")
    return rows


def fonts() -> list[str]:
    """A row for each typeface of the pictures, with the version that its file states."""
    licence = re.search(
        r"SIL Open Font License, Version ([\d.]+\d)", (FONTS / "LICENSE").read_text()
    )
    assert licence
    stated = re.compile("Version ".encode("utf-16-be") + rb"(\0\d\0\.(?:\0\d){3})")
    found = {}
    for path in sorted(FONTS.glob("*.ttf")):
        version = stated.search(path.read_bytes())
        assert version, path
        found[path.name.partition("_")[0]] = version[1].decode("utf-16-be")
    return [
        f"| {name} | {version} | SIL Open Font License {licence[1]} |"
        for name, version in found.items()
    ]


def licence_of(name: str) -> str:
    """The licence that an installed library names."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return "other platforms"
    if "License-Expression" in about:
        return about["License-Expression"]
    classes = [row for row in about.get_all("Classifier") or [] if row.startswith("License")]
    named = [row.rpartition(" :: ")[2] for row in classes if row.count(" :: ") > 1]
    if named:
        return " or ".join(SHORT.get(row, row) for row in named)
    license_text = about["License"].strip() if "License" in about else ""
    if not license_text and about.get_all("License-File"):
        license_text = licence_file(name)
    return license_text.splitlines()[0][:60] if license_text else "unnamed"


def licence_file(name: str) -> str:
    """The text of the licence that comes with an installed library; MIT's begins with its terms."""
    [path, *_] = [each for each in files(name) or [] if each.match("licenses/*")]
    text = path.read_text().strip()
    return "MIT" if "Permission is hereby granted, free of charge, to any" in text else text


def locked() -> list[tuple[str, str]]:
    """Name and version of each library of the lock file, in its order."""
    text = (ROOT / "requirements.lock").read_text()
    return re.findall(r"^([A-Za-z0-9][\w.-]*)(?:\[[^]]*\])?==([^\s;\\]+)", text, re.M)


def document() -> str:
    """The whole document."""
    rows = [f"| {name} | {version} | {licence_of(name)} |" for name, version in locked()]
    drawn_with = ["| font | version | licence |", "|---|---|---|", *fonts()]
    parts = [HEAD, *vendored(), FONTS_HEAD, *drawn_with, LIBRARIES, *rows]
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


if __name__ == "__main__":
    DOCUMENT.write_text(document())
