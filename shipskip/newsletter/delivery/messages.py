"""The mail of an issue to one subscriber: the snapshot, their own link, unsubscribe headers."""

from email.utils import make_msgid, parseaddr

from django.conf import settings
from django.core.mail import EmailMultiAlternatives

from shipskip.newsletter.issues.entry_facts import facts_of
from shipskip.newsletter.issues.mail_rendering import issue_mail, render, with_leave_link
from shipskip.newsletter.models import Delivery, Issue
from shipskip.web.mail_refusals import refusal_from

SAMPLE_LEAVE_URL = f"{settings.SITE_URL}/newsletter/leave/this-is-a-test/"
"""Replaces the reader's own leave link in previews and tests."""


def new_message_id() -> str:
    """A Message-ID of the sender's domain; it reveals nothing about the recipient."""
    return make_msgid(domain=_domain())


def message_to(delivery: Delivery, issue: Issue) -> EmailMultiAlternatives:
    """The mail of a delivery; its subscriber must be loaded with it."""
    leave = f"{settings.SITE_URL}{delivery.subscriber.leave_path}"
    message = EmailMultiAlternatives(
        issue.frozen_subject,
        with_leave_link(issue.text, leave),
        settings.MAIL_FROM,
        [delivery.subscriber.delivery_address],
        headers={
            "Message-ID": delivery.message_id,
            "List-ID": f"The weekly verdicts <verdicts.{_domain()}>",
            # RFC 8058: a POST to this address ends the subscription without showing a page.
            "List-Unsubscribe": f"<{leave}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )
    message.attach_alternative(with_leave_link(issue.html, leave), "text/html")
    return message


def _domain() -> str:
    """The domain of the sender address."""
    return parseaddr(settings.MAIL_FROM)[1].rpartition("@")[2] or "localhost"


def preview(issue: Issue) -> tuple[str, str]:
    """The mail of an issue as HTML and as text: from its snapshot, or with the present content.

    Its leave link does not work.
    """
    html, text = issue.html, issue.text
    if not issue.frozen_at:
        html, text = render(issue_mail(issue, [facts for _, facts in facts_of(issue)]))
    return with_leave_link(html, SAMPLE_LEAVE_URL), with_leave_link(text, SAMPLE_LEAVE_URL)


def send_test(issue: Issue, address: str) -> str:
    """Send the mail of an issue to an editor; return the reason if it was rejected, else ""."""
    html, text = preview(issue)
    message = EmailMultiAlternatives(
        f"Test: {issue.frozen_subject or issue.subject}", text, settings.MAIL_FROM, [address]
    )
    message.attach_alternative(html, "text/html")
    try:
        message.send()
    except Exception as error:
        return refusal_from(error).reason
    return ""
