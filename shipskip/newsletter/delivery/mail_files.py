"""Write mails to files if no mail server is configured: one `.eml` each, its path printed."""

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
    """Writes each mail to its own file in EMAIL_FILE_PATH, readable by the file's owner only."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write the mails, print their paths and return how many. Raises OSError."""
        for message in email_messages:
            path = self._write(message, timezone.now())
            sys.stdout.write(f"Mail written to {path}\n")
            sys.stdout.flush()
        return len(email_messages)

    def _write(self, message: EmailMessage, now: datetime) -> Path:
        """Write to a hidden file, then rename it, so that no incomplete `.eml` is ever visible."""
        folder = Path(settings.EMAIL_FILE_PATH)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{now:%Y%m%d-%H%M%S-%f}-{secrets.token_hex(3)}"
        draft = folder / f".{name}"
        draft.touch(mode=0o600)
        draft.write_bytes(message.message().as_bytes())
        return draft.rename(folder / f"{name}.eml")
