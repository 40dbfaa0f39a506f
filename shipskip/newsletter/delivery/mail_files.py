"""Mails as files, for a site that was given no mail server: one `.eml` a mail, its path printed."""

import secrets
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone


class EmailBackend(BaseEmailBackend):
    """Writes each mail to a file of its own in EMAIL_FILE_PATH, readable by its owner alone."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write the mails and print where they are; how many. Raises OSError when it cannot."""
        for message in email_messages:
            path = self._write(message, timezone.now())
            sys.stdout.write(f"Mail written to {path}\n")
            sys.stdout.flush()
        return len(email_messages)

    def _write(self, message: EmailMessage, now: datetime) -> Path:
        """Under a name that sorts by time; complete as soon as it is there."""
        folder = Path(settings.EMAIL_FILE_PATH)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{now:%Y%m%d-%H%M%S-%f}-{secrets.token_hex(3)}"
        draft = folder / f".{name}"
        draft.touch(mode=0o600)
        draft.write_bytes(message.message().as_bytes())
        return draft.rename(folder / f"{name}.eml")
