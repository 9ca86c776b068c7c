"""The processes of a test: all that it started, and their ends."""

import os
import signal
import time

PATIENCE = 5  # seconds, with processes that end


def processes():
    """{pid: (parent, session)} of all that have not ended: proc(5), /proc/pid/stat."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    words = file.read().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            if words[0] not in "ZX":
                found[int(name)] = (int(words[1]), int(words[3]))
    return found


def writes_to(pid, path):
    for number in (1, 2):
        try:
            if os.readlink(f"/proc/{pid}/fd/{number}") == path:
                return True
        except OSError:
            pass  # it has ended, or has closed it
    return False


def with_descendants(pids, known):
    found, more = set(pids), set(pids)
    while more:
        more = {pid for pid, (parent, _) in known.items() if parent in more} - found
        found |= more
    return found


def family(leader, log):
    """Processes of a leader's session or that write to its log, and their descendants: some of them have a session of
    their own, and some lost their parents."""
    known = processes()
    pids = {pid for pid, (_, session) in known.items() if session == leader or writes_to(pid, log)} - {os.getpid()}
    return with_descendants(pids, known)


def end_own():
    """Ends all that this process has started."""
    known = processes()
    send(with_descendants({os.getpid()}, known) - {os.getpid()}, signal.SIGTERM)


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass  # it has ended, or is another user's


def end(leader, log):
    """Ends a family: politely, so that registers and files are put back, then by force. Returns how many it had."""
    pids = count = family(leader, log)
    send(pids, signal.SIGTERM)
    until = time.monotonic() + PATIENCE
    while pids and time.monotonic() < until:
        time.sleep(0.1)
        pids = family(leader, log)
    while pids:
        send(pids, signal.SIGKILL)
        time.sleep(0.1)
        # What the kernel does not let go, such as a process in a hanging mount, waits for nobody.
        pids = family(leader, log) if time.monotonic() < until + PATIENCE else ()
    return len(count)


def left(leader, log):
    """Names of a family's processes that still run a while after its leader has ended."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            os.killpg(leader, 0)
        except OSError:
            return []
        pids = family(leader, log)
        if not pids or time.monotonic() > until:
            return [name_of(pid) for pid in sorted(pids)]
        time.sleep(0.05)


def name_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read(200).replace(b"\0", b" ").decode(errors="replace").strip() or str(pid)
    except OSError:
        return str(pid)
