"""Chromium by its own protocol, over two pipes: what a user does on a page, and what he sees."""

import json
import os
import shutil
import subprocess
import tempfile
import time

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find():
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Browser:
    def __init__(self, path, size=(1280, 800)):
        self.folder = tempfile.TemporaryDirectory(prefix="nvm_browser_")
        ours_out, theirs_in = os.pipe(), os.pipe()  # (read, write) of commands, of answers

        def give():
            os.dup2(os.dup(ours_out[0]), 40)
            os.dup2(os.dup(theirs_in[1]), 41)
            os.dup2(40, 3)
            os.dup2(41, 4)

        self.process = subprocess.Popen([path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                                         "--remote-debugging-pipe", f"--window-size={size[0]},{size[1]}", f"--user-data-dir={self.folder.name}",
                                         "--no-first-run", "about:blank"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=give, close_fds=False)
        os.close(ours_out[0])
        os.close(theirs_in[1])
        self.to, self.of = ours_out[1], theirs_in[0]
        self.rest, self.number = b"", 0
        self.complaints = []

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.of)
        for _ in range(20):  # it may still be cleaning up
            try:
                self.folder.cleanup()
                break
            except OSError:
                time.sleep(0.1)

    def receive(self):
        while b"\0" not in self.rest:
            piece = os.read(self.of, 1 << 20)
            if not piece:
                raise EOFError("the browser has gone")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def note(self, event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        if event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))

    def open(self, address):
        return Tab(self, address)


class Tab:
    def __init__(self, browser, address):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.target = target
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=address)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def value(self, expression):
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def wait(self, expression, seconds=30):
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def click(self, selector):
        x, y = self.value(f"(() => {{ const r = document.querySelector('{selector}').getBoundingClientRect(); "
                          "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def press(self, key, code, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self):
        return self.call("Page.captureScreenshot", format="png")["data"]
