"""The site's settings for its tests, where they differ."""

from shipskip.settings import *  # noqa: F403
from shipskip.settings import INSTALLED_APPS as APPS
from shipskip.settings import MIDDLEWARE as SITE_MIDDLEWARE

INSTALLED_APPS = [*APPS, "zeal"]

N_PLUS_ONE_WATCH = "zeal.middleware.zeal_middleware"
"""Raises NPlusOneError in every request that loads rows one by one. Each request is checked by
itself: a test that opens a page twice loads a row twice, which is no error of the page.
"""

MIDDLEWARE = [*SITE_MIDDLEWARE, N_PLUS_ONE_WATCH]

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""The site's own hash takes a tenth of a second for each login."""

PAGE_MEMORY_MB = 0
"""Each page is rendered each time, so that a test sees and counts what rendering does. On
PostgreSQL the content version rises when a transaction ends, and most tests roll theirs back: tests
of the page cache use the fixture `page_cache`.
"""
