"""The WSGI entry point, for any server that speaks WSGI."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from shipskip.operations.observability.metrics_files import share

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
if settings.METRICS_TOKEN:
    share(settings.METRICS_DIR)
application = get_wsgi_application()
