"""Sending in this process, and the states of the mails."""

from datetime import timedelta

from django.core.management import call_command

from shipskip.newsletter.models import Delivery
from tests import factories as make

NOW = make.PUBLISHED + timedelta(days=6)
MINUTE = timedelta(minutes=1)


def states() -> dict[str, str]:
    """The state of each mail by its address."""
    return dict(Delivery.objects.values_list("subscriber__address", "state"))


def send(*words: str) -> None:
    """Run `newsletter` once."""
    call_command("newsletter", "--once", *words)
