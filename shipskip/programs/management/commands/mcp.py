"""`manage.py mcp`: the Model Context Protocol over stdin and stdout, a message a line."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand

from shipskip.content.current import from_content
from shipskip.programs.mcp_protocol import MAX_BODY, refusal, reply_to


class Command(BaseCommand):
    """Answer an agent that started this command, until it closes stdin."""

    help = "Answers an agent that speaks MCP over stdin and stdout."

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer each line; of one that is too long the whole line is refused."""
        while line := sys.stdin.buffer.readline(MAX_BODY):
            if line.endswith(b"\n") or len(line) < MAX_BODY:
                reply = reply_to(line, from_content)
            else:
                while not line.endswith(b"\n") and line:
                    line = sys.stdin.buffer.readline(MAX_BODY)
                reply = refusal(413, f"A message has at most {MAX_BODY // 1024} KiB.")
            if reply.message is not None:
                self.stdout.write(json.dumps(reply.message))
                self.stdout.flush()
