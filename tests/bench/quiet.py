"""Settings of a served site without a line for each request, for benchmarks and drills."""

from shipskip.serving import *  # noqa: F403
from shipskip.serving import LOGGING

LOGGING["handlers"]["stderr"]["formatter"] = "text"
LOGGING["loggers"]["shipskip.requests"]["level"] = "WARNING"
