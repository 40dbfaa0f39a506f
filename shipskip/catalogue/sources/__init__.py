"""Sources of open data, from which catalogue documents are made: a module and a line for each."""

from shipskip.catalogue.sources.models_dev import MODELS_DEV
from shipskip.catalogue.sources.source import Source

SOURCES: dict[str, Source] = {each.name: each for each in (MODELS_DEV,)}
