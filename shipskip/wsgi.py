"""The WSGI entry point, for any WSGI server."""

import os
import signal
import sys
from threading import Thread
from time import sleep

if "SERVER_PID" in os.environ:  # set by deploy/serve
    # Until the application is loaded, a worker of granian has its parent's signal handlers, which
    # ignore the stop signal: the worker would be killed 30 seconds later.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

from django.core.wsgi import get_wsgi_application

from shipskip.web.whole_bodies import whole_bodies


def end_with(server: int) -> None:
    """End this worker when its server has ended: a killed server cannot stop its workers."""
    while os.getppid() == server:
        sleep(1)
    os._exit(1)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.serving")
application = whole_bodies(get_wsgi_application())
if "SERVER_PID" in os.environ:
    # Seconds for which a page that is being rendered keeps a vote or a cached page from running:
    # after each statement a vote waits for Python's lock again.
    sys.setswitchinterval(0.001)

    from shipskip.page_cache.content_version import current_version  # needs the apps

    current_version.begin()  # every worker builds its content before its first reader comes
    Thread(target=end_with, args=[int(os.environ["SERVER_PID"])], daemon=True).start()
