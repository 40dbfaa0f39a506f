"""The newsletter at the desk: each screen in a module of its own."""

from shipskip.newsletter.issues import issue_admin
from shipskip.newsletter.subscribers import subscriber_admin

__all__ = ["issue_admin", "subscriber_admin"]
