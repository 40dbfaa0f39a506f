"""Keyed hashes of addresses that asked to be forgotten, by which they are known again."""

import hashlib
import hmac

from django.conf import settings


def seal(text: str) -> str:
    """An HMAC-SHA-256 of a text (hex) under a key derived from SECRET_KEY."""
    return _seal(text, settings.SECRET_KEY)


def seals(text: str) -> list[str]:
    """The seals that a text may have been kept under, the newest key's first.

    A key that leaves SECRET_KEY_FALLBACKS takes with it the memory of who was forgotten under it.
    """
    return [_seal(text, key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]


def _seal(text: str, secret: str) -> str:
    key = hmac.digest(secret.encode(), b"shipskip.newsletter.forgotten", hashlib.sha256)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
