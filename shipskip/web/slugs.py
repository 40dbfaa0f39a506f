"""Slugs: lowercase ASCII letters, digits and single hyphens, and never the word `vs`."""

import re
import secrets

from anyascii import anyascii
from django.core.exceptions import ValidationError
from django.utils.text import slugify

MAX_LENGTH = 100
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def propose_slug(name: str, kind: str) -> str:
    """Return an ASCII slug for a name; `tool-` and six random digits for one without letters."""
    return slug_of(name) or f"{kind}-{secrets.token_hex(3)}"


def slug_of(name: str) -> str:
    """Return an ASCII slug for a name; empty for one without letters and digits."""
    words = slugify(anyascii(name)).replace("_", "-").split("-")
    return "-".join(word for word in words if word not in ("", "vs"))[:MAX_LENGTH].strip("-")


def slug_fault(slug: str) -> str | None:
    """Return what is wrong with a slug and what is allowed; None when it is valid."""
    if len(slug) > MAX_LENGTH:
        return f"is {len(slug)} characters long; at most {MAX_LENGTH} fit an address"
    if not _SLUG.fullmatch(slug):
        return "is not an address: use lowercase letters a-z, digits and single hyphens"
    if "vs" in slug.split("-"):
        return "contains the word “vs”, which separates tools in /compare/a-vs-b/: leave it out"
    return None


def validate_slug(slug: str) -> None:
    """Django validator for slugs; raises ValidationError with what is allowed."""
    fault = slug_fault(slug)
    if fault:
        raise ValidationError(f"“{slug[:MAX_LENGTH]}” {fault}.")
