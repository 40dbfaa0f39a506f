"""Settings of a site that is served: `deploy/serve`, `deploy/manage` and the jobs use them."""

import os
import sys

os.environ["DEBUG"] = "false"  # readers get no technical error pages, whatever .env says

from django.core.files.storage import FileSystemStorage

from shipskip.settings import *  # noqa: F403
from shipskip.settings import DATABASES, LOGGING, MANIFEST_DIR, STORAGES

POOL_WAIT_SECONDS = 1
"""The most that a thread waits for a connection: readers of cached pages need the thread too."""
LOCK_WAIT_SECONDS = 2
"""The most that it waits for SQLite's lock, which one writer has; commands wait longer."""

# Names with a hash of the content, compressed: `prepare` collects them.
STORAGES["staticfiles"] = {
    "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage",
    "OPTIONS": {"manifest_storage": FileSystemStorage(location=MANIFEST_DIR)},
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = False
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # no page names the others

if not sys.stderr.isatty():
    LOGGING["handlers"]["stderr"]["formatter"] = "json"
    LOGGING["loggers"]["shipskip.requests"]["level"] = "INFO"  # a line for each request

if "SERVER_PID" in os.environ:  # a server's worker
    options = DATABASES["default"]["OPTIONS"]
    if "pool" in options:
        options["pool"]["timeout"] = POOL_WAIT_SECONDS
    else:
        options["timeout"] = LOCK_WAIT_SECONDS
