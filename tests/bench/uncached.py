"""Settings of a site that renders each page each time."""

from shipskip.settings import *  # noqa: F403

PAGE_MEMORY_MB = 0
