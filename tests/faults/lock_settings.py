"""The site's settings with one more app, whose migration has not run yet."""

from shipskip.settings import *  # noqa: F403
from shipskip.settings import INSTALLED_APPS as OURS

INSTALLED_APPS = [*OURS, "tests.faults.lock"]
