"""A sweep by Slurm, on a cluster of this machine alone that lives in a temporary folder: the results are those of one
process; a sweep whose command was killed waits for its job; a task that was cancelled leaves its points out until the
same command goes on. Needs root, slurm-wlm and munge. usage: slurm.py BOXSCORE"""
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

boxscore = os.path.abspath(sys.argv[1])
if not os.environ.get("BX_LONG"):
    print("skipped: it takes half a minute; BX_LONG=1 runs it")
    sys.exit(77)
missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel") if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
if missing or os.getuid():
    print("skipped: it needs root, slurm-wlm and munge")
    sys.exit(77)

kept = tempfile.TemporaryDirectory() # removed when this ends
folder = pathlib.Path(kept.name)
os.environ["PATH"] += ":/usr/sbin"
host = socket.gethostname().split(".")[0]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_cluster():
    """Munge under its own user, as it refuses others' folders; both daemons of Slurm as root."""
    folder.chmod(0o755)
    secret = folder / "munge"
    secret.mkdir(mode=0o700)
    (secret / "key").write_bytes(os.urandom(1024))
    (secret / "key").chmod(0o400)
    run = folder / "run"
    run.mkdir(mode=0o755)
    for path in (secret, secret / "key", run):
        shutil.chown(path, "munge", "munge")
    subprocess.run(["setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups", "munged", f"--key-file={secret}/key",
                    f"--socket={run}/socket", f"--pid-file={run}/pid", f"--log-file={secret}/log", f"--seed-file={secret}/seed",
                    "--force"], check=True)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    settings = {
        "ClusterName": "test", "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmctldPort": free_port(), "SlurmdPort": free_port(),
        "AuthType": "auth/munge", "AuthInfo": f"socket={run}/socket", "CredType": "cred/munge", "SlurmUser": "root",
        "SlurmdUser": "root", "StateSaveLocation": folder / "state", "SlurmdSpoolDir": folder / "spool",
        "SlurmctldPidFile": folder / "slurmctld.pid", "SlurmdPidFile": folder / "slurmd.pid",
        "SlurmctldLogFile": folder / "slurmctld.log", "SlurmdLogFile": folder / "slurmd.log",
        "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_CPU", "MpiDefault": "none", "AccountingStorageType": "accounting_storage/none",
        "JobAcctGatherType": "jobacct_gather/none", "SchedulerParameters": "sched_interval=1,batch_sched_delay=0",
    }
    lines = [f"{key}={value}" for key, value in settings.items()]
    lines += [f"NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN",
              f"PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP"]
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    (folder / "slurm.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
    subprocess.run(["slurmctld"], check=True)
    subprocess.run(["slurmd"], check=True)


def stop_cluster():
    subprocess.run(["scancel", "--user=root"], check=False, capture_output=True)
    for file in (folder / "slurmd.pid", folder / "slurmctld.pid", folder / "run/pid"):
        try:
            os.kill(int(file.read_text(encoding="utf-8")), signal.SIGTERM)
        except (OSError, ValueError):
            pass
    time.sleep(0.5)
    shutil.rmtree(folder, ignore_errors=True)


def query(path, sql):
    base = sqlite3.connect(path)
    rows = base.execute(sql).fetchall()
    base.close()
    return rows


ALL = "SELECT p.id, machine, p.state, message, name, value, unit, v.state FROM point AS p LEFT JOIN value AS v ON v.point = p.id " \
      "ORDER BY p.id, name"


def sweep(path, *words, iterations=1000, status=0):
    done = subprocess.run([boxscore, *command(path, iterations), *words], capture_output=True, text=True, check=False)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr


def command(path, iterations):
    return ["sweep", "--machine", "virtual:skl,part=plain", "--vary", "llc=1M..8M*2,5000", "--vary", "workload.size=1M..8M*2", "-w",
            f"random,iterations={iterations}", "-o", path]


def test():
    os.chdir(folder)
    sweep("one.sweep")
    sweep("array.sweep", "--engine", "slurm")
    assert query("array.sweep", ALL) == query("one.sweep", ALL) and len(query("one.sweep", "SELECT id FROM point")) == 20
    assert not os.path.exists("array.sweep.work")

    many, slow = ["--engine", "slurm", "--tasks", "4"], 3000000
    job = pathlib.Path("killed.sweep.work/1.batch")
    with subprocess.Popen([boxscore, *command("killed.sweep", slow), *many], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as front:
        while not job.exists() or not job.read_text(encoding="utf-8").endswith("\n"):
            assert front.poll() is None
            time.sleep(0.1)
        front.send_signal(signal.SIGKILL)
    number = job.read_text(encoding="utf-8").strip()
    subprocess.run(["scancel", f"{number}_4"], check=True)
    said = sweep("killed.sweep", *many, iterations=slow, status=1)
    assert "points have no outcome, as tasks ended early" in said, said
    last = subprocess.run(["squeue", "--noheader", "--all"], check=True, capture_output=True, text=True).stdout
    assert last == "", last
    sweep("killed.sweep", *many, iterations=slow)
    sweep("whole.sweep", iterations=slow)
    assert query("killed.sweep", ALL) == query("whole.sweep", ALL)
    print("a sweep by Slurm has the results of one process")


try:
    start_cluster()
    test()
finally:
    stop_cluster()
