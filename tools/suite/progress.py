"""Says what is being done, how far it is, and what has ended."""

import sys
import threading
import time


class Progress:
    def __init__(self):
        self.lock = threading.RLock()
        self.steps = {}  # of what runs: since when, how far
        self.failed = 0
        self.tests = lambda: ""
        self.terminal = sys.stdout.isatty()
        self.said = time.monotonic()
        self.closed = threading.Event()
        threading.Thread(target=self.repeat, daemon=True).start()

    def begin(self, name):
        with self.lock:
            self.steps[name] = [time.monotonic(), ""]

    def at(self, name, how_far):
        with self.lock:
            self.steps[name][1] = how_far

    def end(self, name, message):
        """A step has ended: with a message if it has failed. Returns success."""
        with self.lock:
            seconds = time.monotonic() - self.steps.pop(name)[0]
            if message:
                self.failed += 1
                self.say(message.rstrip("\n"))
            self.say(f"{'FAILED' if message else 'ok':7} {name}, {seconds:.0f} s")
            return not message

    def say(self, text):
        with self.lock:
            print(("\r\033[K" if self.terminal else "") + text, flush=True)

    def state(self):
        with self.lock:
            parts = [f"{name}{': ' if far else ''}{far}" for name, (_, far) in self.steps.items()]
        return "; ".join(part for part in [*parts, self.tests()] if part)

    def repeat(self):
        while not self.closed.wait(0.5 if self.terminal else 15):
            text = self.state()
            with self.lock:
                if self.terminal:
                    print(f"\r\033[K{text[:118]}", end="", flush=True)
                elif text:
                    print(f"        {text}", flush=True)

    def close(self):
        self.closed.set()
        if self.terminal:
            print("\r\033[K", end="")
