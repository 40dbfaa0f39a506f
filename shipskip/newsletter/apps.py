"""The newsletter app: the weekly verdicts by mail."""

from django.apps import AppConfig


class NewsletterConfig(AppConfig):
    """Subscribers, issues, deliveries."""

    name = "shipskip.newsletter"
    label = "newsletter"
    verbose_name = "Newsletter"

    def ready(self) -> None:
        """Connect the provider's webhook events; django-anymail sends them as a signal."""
        from anymail.signals import tracking

        from shipskip.newsletter.delivery import webhooks

        tracking.connect(webhooks.handle_event, dispatch_uid="shipskip.newsletter")
