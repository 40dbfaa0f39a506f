"""The two layers as a type of contract for import-linter; pyproject.toml has the packages.

The types that import-linter brings compare packages, or modules listed one by one. Here the screens
of an app lie beside its models and rules, and their names tell them apart.
"""

from fnmatch import fnmatch
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class TwoLayers(Contract):
    """Which module may import which. What is in none of the packages belongs to the site.

    - A screen is imported only by screens of its own app.
    - A screen may import the models and rules of every app, and nothing of the site.
    - Models and rules may import those of their own package and of the packages before it.
    - The site may import all models and rules.

    Migrations are not checked: they stay as they were applied. A listed package need not exist.
    """

    building_blocks: Any = fields.ListField(subfield=fields.StringField())
    """Packages that every app uses, lowest first; none of their modules is a screen."""

    apps: Any = fields.ListField(subfield=fields.StringField())
    """The packages above them, lowest first."""

    screens: Any = fields.ListField(subfield=fields.StringField())
    """Patterns of the names of modules and packages in apps."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        wrong = [
            details
            for importer in sorted(graph.modules - graph.find_matching_modules("**.migrations.*"))
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if not self.may_import(importer, imported)
            for details in graph.get_import_details(importer=importer, imported=imported)
        ]
        return ContractCheck(kept=not wrong, metadata={"wrong": wrong})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for details in check.metadata["wrong"]:
            place = f"{details['importer']} (l. {details['line_number']})"
            output.print_error(f"{place} may not import {details['imported']}", bold=False)
        output.new_line()

    def may_import(self, importer: str, imported: str) -> bool:
        if self.is_screen(imported):
            return self.is_screen(importer) and self.level(importer) == self.level(imported)
        if self.is_screen(importer):
            return self.level(imported) < self.level_of_the_site
        return self.level(imported) <= self.level(importer)

    def is_screen(self, module: str) -> bool:
        in_an_app = len(self.building_blocks) <= self.level(module) < self.level_of_the_site
        names = module.split(".")
        return in_an_app and any(fnmatch(name, each) for name in names for each in self.screens)

    def level(self, module: str) -> int:
        """The number of packages below the module's own."""
        for level, package in enumerate([*self.building_blocks, *self.apps]):
            if f"{module}.".startswith(f"{package}."):
                return level
        return self.level_of_the_site

    @property
    def level_of_the_site(self) -> int:
        return len(self.building_blocks) + len(self.apps)
