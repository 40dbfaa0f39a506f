"""The reviews app: the panel and its takes."""

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    """The panel and the votes."""

    name = "reviews"
