"""The files of the project, for tests of its conventions."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("shipskip", "tools", "reviews", "comparisons")


def sources() -> Iterator[Path]:
    """Every Python file that is neither a test nor a migration."""
    for folder in PACKAGES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path
    yield ROOT / "manage.py"


def place(path: Path) -> str:
    """The path from the project's folder, as a reader writes it."""
    return path.relative_to(ROOT).as_posix()


def templates() -> Iterator[Path]:
    """Every template."""
    yield from sorted((ROOT / "templates").rglob("*.html"))


def every(paths: Iterable[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """One test for all of these files; it names each that fails."""

    def decorate(check: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            failures = []
            for path in files:
                try:
                    check(path)
                except AssertionError as failure:
                    failures.append(f"{place(path)}: {failure}")
            assert not failures, "\n".join(failures)

        test.__doc__ = check.__doc__
        return test

    files = list(paths)
    assert files
    return decorate
