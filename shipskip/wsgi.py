"""The WSGI entry point, for any server that speaks WSGI."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
application = get_wsgi_application()
