"""The fields of a document by which a row is found, and how much a word in each weighs."""

from collections.abc import Mapping

NAME_WEIGHT = 10.0
FIELD_WEIGHTS: Mapping[str, float] = {
    "maker": 8,
    "category": 7,
    "facts": 6,
    "tagline": 5,
    "best_for": 4,
}
"""The fields besides names and long texts, in the order of the lines of a document's `fields`."""
TEXT_WEIGHT = 1.0
PREFIX_FACTOR = 0.5
"""What a word that only begins with the typed one weighs less than the whole word."""
TYPO_FACTOR = 0.6
"""The same for each typing error."""
