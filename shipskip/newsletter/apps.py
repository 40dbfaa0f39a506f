"""The newsletter: the weekly verdicts by mail."""

from django.apps import AppConfig


class NewsletterConfig(AppConfig):
    """Subscribers, issues, deliveries."""

    name = "shipskip.newsletter"
    label = "newsletter"
    verbose_name = "Newsletter"

    def ready(self) -> None:
        """Listen to the mail provider, in the one way that django-anymail offers."""
        from anymail.signals import tracking

        from shipskip.newsletter.delivery import webhooks

        tracking.connect(webhooks.hear, dispatch_uid="shipskip.newsletter")
