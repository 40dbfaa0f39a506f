#!/usr/bin/env python
"""Run Django's commands with the project's settings."""

import importlib
import os
import sys

if __name__ == "__main__":
    os.umask(0o077)  # the files of a command hold accounts, addresses and secrets
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        importlib.import_module(os.environ["DJANGO_SETTINGS_MODULE"])
    except ImproperlyConfigured as error:
        sys.exit(str(error))  # sentences about the settings, without a traceback
    from shipskip.operations.data_owner import refusal

    if refused := refusal(sys.argv[1:]):
        sys.exit(refused)
    try:
        execute_from_command_line(sys.argv)
    except DatabaseError as error:
        from shipskip.operations.unusable_database import sentence

        if "--traceback" in sys.argv or (explained := sentence(error)) is None:
            raise
        sys.exit(explained)
