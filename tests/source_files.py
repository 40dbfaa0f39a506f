"""The files of the project and what they import, for tests of its conventions."""

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources() -> Iterator[Path]:
    """Every Python file that is neither a test nor a migration."""
    for folder in ("shipskip", "tools", "reviews", "comparisons"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path
    yield ROOT / "manage.py"


def files_of_tests() -> Iterator[Path]:
    """Every Python file of the tests."""
    yield from sorted((ROOT / "tests").rglob("*.py"))


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


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax of a file, which several tests read."""
    return ast.parse(path.read_text())


def imported(tree: ast.AST) -> set[str]:
    """The full names of the modules that a file imports, and of the names it takes from them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found
