"""The mail of an issue to one subscriber: frozen words, their own link, the headers to leave by."""

from datetime import datetime
from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.utils.crypto import salted_hmac

from shipskip.newsletter.delivery.refusals import refusal_of
from shipskip.newsletter.issues.contents import facts_of
from shipskip.newsletter.issues.letters import filled, html_of, letter_of
from shipskip.newsletter.issues.plain_text import text_of
from shipskip.newsletter.models import Delivery, Issue

NO_LINK = f"{settings.SITE_URL}/newsletter/leave/this-is-a-test/"
"""Where a reader's own link to leave stands in what only editors see."""


def message_id(delivery: Delivery) -> str:
    """The mail's own name, which tells nothing; the same however often it is tried, so that a
    mail program that got it twice after all shows it once.
    """
    seal = salted_hmac("message id", f"{delivery.pk}", algorithm="sha256").hexdigest()[:32]
    return f"<{seal}@{_domain()}>"


def message_to(delivery: Delivery, issue: Issue) -> EmailMultiAlternatives:
    """The mail of a delivery, which was loaded with its subscriber."""
    leave = f"{settings.SITE_URL}{delivery.subscriber.leave_path}"
    message = EmailMultiAlternatives(
        issue.frozen_subject,
        filled(issue.text, leave),
        settings.MAIL_FROM,
        [delivery.subscriber.written_to],
        headers={
            "Message-ID": delivery.message_id,
            "List-ID": f"The weekly verdicts <verdicts.{_domain()}>",
            # RFC 8058: a POST to this address ends the subscription, with no page in between.
            "List-Unsubscribe": f"<{leave}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )
    message.attach_alternative(filled(issue.html, leave), "text/html")
    return message


def _domain() -> str:
    """The domain that the mails come from."""
    return parseaddr(settings.MAIL_FROM)[1].rpartition("@")[2] or "localhost"


def looked_at(issue: Issue, now: datetime) -> tuple[str, str]:
    """The mail of an issue as HTML and as text, as an editor looks at it: frozen, or as it would
    be at `now`. Its link to leave leads nowhere.
    """
    html, text = issue.html, issue.text
    if not issue.frozen_at:
        letter = letter_of(issue, [facts for _, facts in facts_of(issue, now)])
        html, text = html_of(letter), text_of(letter)
    return filled(html, NO_LINK), filled(text, NO_LINK)


def send_test(issue: Issue, address: str, now: datetime) -> str:
    """Send the mail of an issue to an editor; why it was not taken, or nothing when it was."""
    html, text = looked_at(issue, now)
    message = EmailMultiAlternatives(
        f"Test: {issue.frozen_subject or issue.subject}", text, settings.MAIL_FROM, [address]
    )
    message.attach_alternative(html, "text/html")
    try:
        message.send()
    except Exception as fault:
        return refusal_of(fault).reason
    return ""
