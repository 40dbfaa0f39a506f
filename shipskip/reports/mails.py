"""Mails to reporters: an editor's question, and the decision. They hold nothing that a reporter
wrote: an address may belong to somebody else than the reporter.
"""

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from shipskip.reports.models import Report
from shipskip.web.mail_addresses import delivery_address, parse
from shipskip.web.mail_refusals import refusal_from


def send_question(report: Report) -> str:
    """Send the question; return the reason if it was not accepted, else ""."""
    return _send(report, "A question about your report", "report_question")


def send_decision(report: Report) -> str:
    """Send what was decided; return the reason if it was not accepted, else ""."""
    return _send(report, "Your report was decided", "report_decided")


def _send(report: Report, subject: str, template: str) -> str:
    context = {
        "report": report,
        "decision": report.decision,
        "link": f"{settings.SITE_URL}{report.link}",
        "site": settings.SITE_URL,
    }
    address = parse(report.address)
    mail = EmailMessage(
        subject=subject,
        body=render_to_string(f"emails/{template}.txt", context),
        from_email=settings.MAIL_FROM,
        to=[delivery_address(address.typed, address.normalised)],
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        mail.send()
    except Exception as error:
        return refusal_from(error).reason
    return ""
