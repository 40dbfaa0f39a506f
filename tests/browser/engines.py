"""WebKit and Firefox: Debian's builds, by the WebDriver protocols of their own.

Playwright's Firefox and WebKit are builds of its own, which no reader has.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import Error, Page
from websockets.sync.client import ClientConnection, connect

from tests.everything import OTHER_ENGINES
from tests.free_port import free_port, is_listening
from tests.waiting import WAIT, wait_until

MINIBROWSERS = Path("/usr/lib").glob("*/webkit2gtk-4*/MiniBrowser")
"""The browser that WebKitWebDriver's package depends on."""

SMALL_BARS = "window * { min-width: 0; min-height: 0; padding: 0; margin: 0; font-size: 1px; }"
"""A style for MiniBrowser's own buttons, so that its window can be as narrow as a phone."""

NEEDED = {"WebKit": ("WebKitWebDriver", "Xvfb"), "Firefox": ("firefox-esr",)}
"""The programs that each engine needs."""

Action = dict[str, Any]
END, ENTER = "\ue010", "\ue007"
KEYS = {END: "End", ENTER: "Enter"}
"""The keys of WebDriver, by Playwright's names."""


def missing(engine: str) -> list[str]:
    """The packages of an engine that are not installed."""
    return [OTHER_ENGINES[program] for program in NEEDED[engine] if not shutil.which(program)]


class Window(Protocol):
    """A window of an engine."""

    def open(self, url: str) -> None:
        """Go to a URL, and wait until it has loaded."""

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression, which JSON can hold."""

    def resize(self, width: int, height: int) -> None:
        """Give the page this size."""

    def act(self, actions: Sequence[Action]) -> None:
        """Perform the actions of one input device."""


def wait_for(window: Window, expression: str) -> None:
    """Wait until an expression is true, on this page or the next."""
    wait_until(lambda: window.run(f"!!({expression})"), lambda: expression)


def click(window: Window, selector: str) -> None:
    """Click the middle of the first element that this finds."""
    x, y = window.run(
        f"""(() => {{
          const element = document.querySelector({json.dumps(selector)});
          element.scrollIntoView({{ block: "center", behavior: "instant" }});
          const box = element.getBoundingClientRect();
          return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
        }})()"""
    )
    steps = [{"type": "pointerMove", "x": x, "y": y, "duration": 0}]
    steps += [{"type": f"pointer{way}", "button": 0} for way in ("Down", "Up")]
    window.act([{"type": "pointer", "id": "mouse", "actions": steps}])


def write(window: Window, selector: str, text: str) -> None:
    """Type into a field."""
    click(window, selector)
    steps = [{"type": f"key{way}", "value": sign} for sign in text for way in ("Down", "Up")]
    window.act([{"type": "key", "id": "keyboard", "actions": steps}])


class WebKitWindow:
    """MiniBrowser, by classic WebDriver."""

    def __init__(self, port: int) -> None:
        self._port, self._path = port, "/session"
        options = {"binary": str(next(MINIBROWSERS)), "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        self._path += "/" + self._send("", {"capabilities": wanted})["sessionId"]

    def _send(self, path: str, body: object = None, method: str = "POST") -> Any:
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=WAIT)) as connection:
            connection.request(method, self._path + path, json.dumps(body) if body else None)
            answer = json.load(connection.getresponse())["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def open(self, url: str) -> None:
        self._send("/url", {"url": url})

    def run(self, expression: str) -> Any:
        return self._send("/execute/sync", {"script": f"return {expression}", "args": []})

    def resize(self, width: int, height: int) -> None:
        bar = self.run("outerHeight - innerHeight")
        self._send("/window/rect", {"x": 0, "y": 0, "width": width, "height": height + bar})
        wait_for(self, f"innerWidth === {width}")

    def act(self, actions: Sequence[Action]) -> None:
        self._send("/actions", {"actions": actions})

    def close(self) -> None:
        """End the browser."""
        self._send("", method="DELETE")


class ChromiumWindow:
    """A window of Playwright's as one of these."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def open(self, url: str) -> None:
        self._page.goto(url)

    def run(self, expression: str) -> Any:
        with suppress(Error):  # between two pages
            return self._page.evaluate(expression)

    def resize(self, width: int, height: int) -> None:
        self._page.set_viewport_size({"width": width, "height": height})

    def act(self, actions: Sequence[Action]) -> None:
        mouse, keyboard = self._page.mouse, self._page.keyboard
        for step in actions[0]["actions"]:
            match step["type"]:
                case "pointerMove":
                    mouse.move(step["x"], step["y"])
                case "pointerDown":
                    mouse.down()
                case "pointerUp":
                    mouse.up()
                case "keyDown":
                    keyboard.press(KEYS.get(step["value"], step["value"]))


class FirefoxWindow:
    """Firefox, by WebDriver BiDi."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._number = socket, 0
        self._send("session.new", capabilities={})
        [context] = self._send("browsingContext.getTree")["contexts"]
        self._context = context["context"]

    def _send(self, method: str, **params: object) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv(timeout=WAIT))
            if answer.get("id") == self._number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def open(self, url: str) -> None:
        self._send("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def run(self, expression: str) -> Any:
        result = self._send(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            target={"context": self._context},
            awaitPromise=False,
        )
        assert result["type"] == "success", result
        text = result["result"].get("value")
        return None if text is None else json.loads(text)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._send("browsingContext.setViewport", context=self._context, viewport=size)

    def act(self, actions: Sequence[Action]) -> None:
        self._send("input.performActions", context=self._context, actions=actions)


@contextmanager
def _started(*command: str, sign: str = "", **env: str) -> Iterator[str]:
    """A process, and the part of its output that `sign` finds, for which this waits."""
    with subprocess.Popen(
        command,
        env=os.environ | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout
            lines = []
            for line in process.stdout:
                lines.append(line)
                if found := re.search(sign, line):
                    yield found[1]
                    break
            else:
                raise AssertionError(f"{command[0]} ended: {''.join(lines)[-2000:]}")
        finally:
            process.terminate()


@contextmanager
def webkit() -> Iterator[Window]:
    """A window of WebKit, on a screen of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _started("Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24", sign=r"^(\d+)$") as at,
    ):
        style = Path(folder) / "gtk-3.0/gtk.css"
        style.parent.mkdir()
        style.write_text(SMALL_BARS)
        port = free_port()
        env = {"DISPLAY": f":{at}", "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        with subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}", "--host=127.0.0.1"], env=os.environ | env
        ) as driver:
            try:
                wait_until(lambda: is_listening(port))
                window = WebKitWindow(port)
                yield window
                window.close()
            finally:
                driver.terminate()


@contextmanager
def firefox() -> Iterator[Window]:
    """A window of Firefox with a profile of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _started(
            *("firefox-esr", "--headless", "--remote-debugging-port", "0", "--profile", folder),
            sign=r"WebDriver BiDi listening on (\S+)",
        ) as url,
        connect(f"{url}/session", max_size=None) as socket,
    ):
        yield FirefoxWindow(socket)
