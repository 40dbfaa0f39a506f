"""The admin screens of the newsletter, imported here so that Django registers them."""

from shipskip.newsletter.issues import issue_admin
from shipskip.newsletter.subscribers import subscriber_admin

__all__ = ["issue_admin", "subscriber_admin"]
