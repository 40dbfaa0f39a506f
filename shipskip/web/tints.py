"""The tints that tell reviewers and categories apart."""

from django.db import models


class Tint(models.TextChoices):
    """Each has two tokens in `tokens.css`: `--tint-<name>` is a ground, and `--tint-<name>-ink` is
    what stands on it.
    """

    BLUE = "blue", "Blue"
    SLATE = "slate", "Slate"
    VIOLET = "violet", "Violet"
    CYAN = "cyan", "Cyan"
    PLUM = "plum", "Plum"
    BROWN = "brown", "Brown"
