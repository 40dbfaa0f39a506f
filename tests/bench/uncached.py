"""Settings of a site that renders each page each time."""

from tests.bench.quiet import *  # noqa: F403

PAGE_MEMORY_MB = 0
