"""A real browser for tests: the installed Chromium, driven over its own protocol through two pipes."""

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Self

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
LONGEST = 60  # seconds until something must have happened
KEYS = {" ": "Space"}


def find_chromium() -> str | None:
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """One page of a browser. `errors` are its uncaught errors and error messages; `requests` all that it asked for."""

    def __init__(self, profile: Path, width: int = 1200, height: int = 900) -> None:
        theirs, ours = os.pipe(), os.pipe()  # Chromium reads from its descriptor 3 and writes to 4
        command = [find_chromium(), *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"]
        script = f'exec "$@" 3<&{theirs[0]} 4>&{ours[1]}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "chromium", *command],
            pass_fds=(theirs[0], ours[1]),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs[0])
        os.close(ours[1])
        self.sending, self.receiving = os.fdopen(theirs[1], "wb"), os.fdopen(ours[0], "rb")
        self.number, self.session, self.buffer = 0, None, b""
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.is_loaded = False
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.sending.close()
        self.receiving.close()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its answer. Events that come before it are noted."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.sending.write(json.dumps(message).encode() + b"\0")
        self.sending.flush()
        while (found := self._next()).get("id") != self.number:
            self._note(found)
        if "error" in found:
            raise RuntimeError(f"{method}: {found['error']}")
        return found["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            data = os.read(self.receiving.fileno(), 1 << 16)
            if not data:
                raise RuntimeError("the browser has ended")
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(line)

    def _note(self, event: dict[str, Any]) -> None:
        method, found = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = found["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and found["type"] in ("error", "warning"):
            self.errors.append(" ".join(str(part.get("value", part.get("description"))) for part in found["args"]))
        elif method == "Log.entryAdded" and found["entry"]["level"] == "error":
            self.errors.append(found["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(found["request"]["url"])
        elif method == "Page.loadEventFired":
            self.is_loaded = True

    def open(self, path: Path) -> None:
        """Open a page and wait until it is loaded."""
        self.is_loaded = False
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while not self.is_loaded:
            self._note(self._next())

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page; wait for it if it is a promise."""
        done = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"]["exception"]["description"])
        return done["result"].get("value")

    def wait_for(self, script: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + LONGEST
        while not self.run(script):
            if time.monotonic() > end:
                raise RuntimeError(f"{script} does not become true")
            time.sleep(0.02)

    def place(self, selector: str) -> tuple[float, float, float, float]:
        """Scroll to an element; return its left, top, width and height on the screen."""
        return tuple(
            self.run(
                f"(() => {{const e = document.querySelector({json.dumps(selector)});"
                "e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect();"
                "return [r.left, r.top, r.width, r.height];})()"
            )
        )

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector: str, across: float = 0.5, down: float = 0.5) -> None:
        """Click on an element, at a part of its width and height."""
        left, top, width, height = self.place(selector)
        x, y = left + across * width, top + down * height
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def hover(self, selector: str, across: float = 0.5, down: float = 0.5) -> None:
        left, top, width, height = self.place(selector)
        self.mouse("mouseMoved", left + across * width, top + down * height)

    def swipe(self, selector: str, by: float) -> None:
        """Draw a finger across an element."""
        left, top, width, height = self.place(selector)
        x, y = left + width / 2, top + height / 2
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            ("touchMove", [{"x": x + by / 2, "y": y}]),
            ("touchMove", [{"x": x + by, "y": y}]),
            ("touchEnd", []),
        ):
            self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def press(self, key: str) -> None:
        text = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=KEYS.get(key, key), **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=KEYS.get(key, key))

    def resize(self, width: int, height: int, is_mobile: bool = False) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_mobile
        )
        self.ask("Emulation.setTouchEmulationEnabled", enabled=is_mobile)

    def prefer(self, scheme: str) -> None:
        """Prefer light or dark."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path: Path, whole: bool = True) -> None:
        found = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))
