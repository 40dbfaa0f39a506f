"""The site's settings with one more app, whose migration has not run yet."""

from shipskip.serving import *  # noqa: F403
from shipskip.serving import INSTALLED_APPS as OURS

INSTALLED_APPS = [*OURS, "tests.faults.lock"]
