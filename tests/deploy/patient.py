"""Settings of a served site on a busy machine, where a connection may take longer than a second."""

from shipskip.serving import *  # noqa: F403
from shipskip.serving import DATABASES

if "pool" in DATABASES["default"]["OPTIONS"]:
    DATABASES["default"]["OPTIONS"]["pool"]["timeout"] = 60
