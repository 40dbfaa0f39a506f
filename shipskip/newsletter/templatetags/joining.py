"""What the form to join needs wherever it stands."""

from django import template
from django.utils import timezone

from shipskip.newsletter import stamps

register = template.Library()


@register.simple_tag
def join_stamp() -> str:
    """The hidden value that says when this form was given out."""
    return stamps.stamp(timezone.now())
