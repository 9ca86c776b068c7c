"""Runs tests, some at once, and reports them: each cmocka test counts as one, and each script as one."""

import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import family

CMOCKA = re.compile(r"\[  (PASSED |FAILED |SKIPPED) \] (?:[^:\n]*: )?(\d+) test")
SKIP = 77
# A shell's background job and nohup ignore these signals, and tests send them.
PLAIN = ["env", "--default-signal=INT,QUIT,HUP,PIPE"]
WORDS = ("PASSED", "FAILED", "SKIPPED")


class Test:
    def __init__(self, entry, depends, folder):
        self.name, self.command, self.depends, self.folder = entry["name"], entry["cmd"], depends, folder
        self.suites = {suite.split(":")[-1] for suite in entry["suite"]}
        # Meson's own half a minute is little on a busy machine.
        self.env, self.timeout, self.priority = dict(entry["env"]), max(60, entry["timeout"]), entry["priority"]
        self.alone = not entry["is_parallel"]
        self.key = None  # of its content, if it is known
        self.leader = None  # its first process, while it runs
        self.status, self.seconds, self.cpu = None, 0.0, 0.0
        self.count = dict.fromkeys(WORDS, 0)

    def label(self):
        return f"{self.folder.name}/{self.name}"

    def log(self):
        return self.folder / "suite-logs" / f"{self.name}.txt"

    def run(self):
        # The same memory contents each time: a test's outcome depends on its content only.
        env = {"MALLOC_PERTURB_": "85", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1", **os.environ, **self.env}
        begin = time.monotonic()
        self.log().parent.mkdir(exist_ok=True)
        with open(self.log(), "wb") as log:
            try:
                process = subprocess.Popen([*PLAIN, *self.command], env=env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                                           stderr=subprocess.STDOUT, start_new_session=True)
                self.leader = process.pid
            except OSError as error:
                log.write(f"{error}\n".encode())
                self.status = 126 << 8
            else:
                self.status, self.cpu = self.wait(process, log)
        self.seconds = time.monotonic() - begin
        self.count = count(self.output(), self.status)

    def wait(self, process, log):
        """Ends a test that takes too long, with all that it started. One that leaves processes has failed."""
        expired = threading.Event()

        def expire():
            expired.set()
            count = family.end(process.pid, str(self.log()))
            log.write(f"\nended after {self.timeout} s, with {count} processes: it took too long\n".encode())

        timer = threading.Timer(self.timeout, expire)
        timer.daemon = True
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        if expired.is_set():
            timer.join()
            status = status or 1 << 8
        process.returncode, self.leader = status, None
        left = family.left(process.pid, str(self.log()))
        if left:
            family.end(process.pid, str(self.log()))
            log.write("".join(f"\nleft running: {name}" for name in left).encode() + b"\n")
            status = status or 1 << 8
        return status, used.ru_utime + used.ru_stime

    def output(self):
        return self.log().read_text(encoding="utf-8", errors="replace")

    def passed(self):
        return self.status == 0 and not self.count["SKIPPED"]


def count(output, status):
    """{'PASSED': n, 'FAILED': n, 'SKIPPED': n} of one test program."""
    n = dict.fromkeys(WORDS, 0)
    if status == SKIP << 8:
        n["SKIPPED"] = 1
        return n
    for word, tests in CMOCKA.findall(output):
        n[word.strip()] += int(tests)
    if status != 0 and n["FAILED"] == 0:
        n["FAILED"] = 1  # a script, a crash or a time-out
    elif status == 0 and sum(n.values()) == 0:
        n["PASSED"] = 1  # a script
    return n


def processor_time():
    """Seconds that the processors were idle so far, of all seconds: proc(5), /proc/stat."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


class Pool:
    """Tests that wait, run, and have ended. Those that say that they do not run beside others do not run
    beside each other. Many tests wait rather than compute, so more of them run while a processor is idle."""

    MOST = 8

    def __init__(self, progress, workers):
        self.progress, self.workers = progress, workers
        self.allowed = workers
        self.changed = threading.Condition()
        self.waiting, self.running, self.ended, self.unchanged = [], [], [], []
        self.all_there = self.stopped = False
        self.on_end = []
        progress.tests = self.state

    def add(self, tests):
        with self.changed:
            self.waiting += tests
            self.waiting.sort(key=lambda test: (test.priority, test.timeout), reverse=True)
            self.changed.notify_all()

    def stop(self):
        with self.changed:
            self.stopped = True
            self.waiting = []
            self.changed.notify_all()

    def end(self):
        """Ends what runs: tests have sessions of their own, so an interrupt of the terminal does not reach them."""
        self.stop()
        with self.changed:
            running = [(test.leader, str(test.log())) for test in self.running if test.leader]
        enders = [threading.Thread(target=family.end, args=one) for one in running]
        for ender in enders:
            ender.start()
        for ender in enders:
            ender.join()

    def complete(self):
        with self.changed:
            self.all_there = True
            self.changed.notify_all()

    def state(self):
        with self.changed:
            total = len(self.waiting) + len(self.running) + len(self.ended)
            if not total:
                return ""
            now = "; now " + ", ".join(test.name for test in self.running[:4]) if self.running else ""
            return f"tests: {len(self.ended)} of {total}{'' if self.all_there else ' so far'}{now}"

    def allow(self):
        """Allows one more test at once after each second in which half a processor was idle, and as many as
        at first after a second without."""
        idle, total = processor_time()
        while not (self.all_there and not self.waiting):
            time.sleep(1)
            idle_before, total_before, (idle, total) = idle, total, processor_time()
            share = (idle - idle_before) / max(1, total - total_before) * os.cpu_count()
            with self.changed:
                self.allowed = min(self.MOST, len(self.running) + 1) if share > 0.5 else self.workers
                self.changed.notify_all()

    def take(self):
        with self.changed:
            while True:
                busy = any(test.alone for test in self.running)
                full = len(self.running) >= self.allowed
                test = next((test for test in self.waiting if not full and not (busy and test.alone)), None)
                if test:
                    self.waiting.remove(test)
                    self.running.append(test)
                    return test
                if self.all_there and not self.waiting:
                    return None
                self.changed.wait()

    def work(self):
        while test := self.take():
            test.run()
            with self.changed:
                self.running.remove(test)
                self.ended.append(test)
                self.changed.notify_all()
            if test.count["FAILED"]:
                lines = test.output().splitlines()
                cut = [f"… {len(lines) - 150} lines are in {test.log()}"] if len(lines) > 150 else []
                self.progress.say("\n".join([f"FAILED  {test.label()}", *cut, *lines[-150:]]))

    def run(self):
        threading.Thread(target=self.allow, daemon=True).start()
        workers = [threading.Thread(target=self.work) for _ in range(self.MOST)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def report(self, seconds, cpu, failed_steps, is_long):
        """Prints the end of a run. Returns its exit status."""
        totals = {word: sum(test.count[word] for test in self.ended) for word in WORDS}
        totals["FAILED"] += failed_steps
        save_times(self.ended)
        if self.ended:
            print("slowest, in s, and their s of CPU:")
        for test in sorted(self.ended, key=lambda test: test.seconds, reverse=True)[:10]:
            print(f"{test.seconds:8.1f} {test.cpu:7.1f}  {test.label()}")
        skipped = [test for test in self.ended if test.count["SKIPPED"]]
        if is_long:
            for test in skipped:
                why = re.findall(r"^(?:skipped|SKIP).*", test.output(), re.M | re.I)
                print(f"skipped {test.label()}: {'; '.join(dict.fromkeys(why)) or 'no reason given'}")
            for test in self.ended:
                for line in re.findall(r"^fuzz_\w+: \d+ inputs tried$", test.output(), re.M):
                    print(line)
        for test in self.ended:
            if test.count["FAILED"]:
                print(f"FAILED  {test.label()}")
        print(f"{seconds / 60:.1f} minutes, {cpu:.0f} s of CPU; {totals['SKIPPED']} skipped in {len(skipped)} programs; "
              f"{len(self.unchanged)} programs not run again, as they passed with the same content"
              f"{' (./test --all runs them)' if self.unchanged else ''}")
        print(f"{totals['PASSED']} passed, {totals['FAILED']} failed")
        return int(totals["FAILED"] > 0 or totals["PASSED"] + len(self.unchanged) == 0)


def save_times(tests):
    for folder in {test.folder for test in tests}:
        lines = [f"{test.seconds:.2f} {test.cpu:.2f} {test.name}\n" for test in tests if test.folder == folder]
        (folder / "suite-logs" / "times").write_text("".join(sorted(lines)), encoding="utf-8")
