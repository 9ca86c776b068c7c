"""Tests the action of deploy/action.yml in a throw-away repository: its own steps "Measure" and "Compare" fail a
change that costs 3 % of traffic, and pass one that costs none. The workflow of docs/examples uses it as it is.
usage: ci.py SOURCE_ROOT BOXSCORE"""
import os
import re
import subprocess
import sys
import tempfile
import textwrap

root, boxscore = sys.argv[1:]
with open(root + "/deploy/action.yml", encoding="utf-8") as file:
    action = file.read()
with open(root + "/docs/examples/memory-traffic.yml", encoding="utf-8") as file:
    workflow = file.read()

PROGRAM = """
enum {{ WORDS = {words} }};
static long data[WORDS] = {{1}};
int main(void)
{{
    long sum = 0;
    for (int i = 0; i < WORDS; i++)
        data[i] += i;
    for (int i = 0; i < WORDS; i++)
        sum {op}= data[i];
    return sum == 12345;
}}
"""
WORDS = 1 << 19 # 4 MiB of the file, which fit the last-level cache: each line is read from memory once
MAKEFILE = "program: program.c\n\tcc -O1 -o $@ $<\n"


def step(name):
    """The script of one of the action's steps."""
    found = re.search(rf"^( *)- name: {name}\n(?:\1  (?!run:).*\n)*\1  run: \|\n((?:\1    .*\n|\n)+)", action, re.M)
    assert found, name
    return textwrap.dedent(found.group(2))


def values(text, indent):
    """The keys of a mapping with their values, each in its line or in the lines below it."""
    found = re.findall(rf"^ {{{indent}}}([a-z-]+):(?: \|)?[ \n]((?:.+)(?:\n {{{indent + 1},}}.*)*)", text, re.M)
    return {key: textwrap.dedent(value).strip() for key, value in found}


declared = action[action.index("\ninputs:\n"):action.index("\nruns:\n")]
inputs = {name: (re.search(r"^default: (.*)", value, re.M) or [None, None])[1] for name, value in values(declared, 2).items()}
given = values(workflow[workflow.index("        with:\n", workflow.index("uses: ./boxscore/deploy")):], 10)
assert set(given) <= set(inputs), f"the workflow gives {given}, the action has {inputs}"
assert all(name in given for name, default in inputs.items() if default is None), given
assert "OWNER" not in workflow + action


def git(*words):
    done = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false", *words],
        check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(words, op, why):
    for name, text in (("program.c", PROGRAM.format(words=words, op=op)), ("Makefile", MAKEFILE)):
        with open(name, "w", encoding="utf-8") as to:
            to.write(text)
    git("add", "program.c", "Makefile")
    git("commit", "-q", "-m", why)
    return git("rev-parse", "HEAD")


def run(name, **variables):
    environment = dict(os.environ, **variables)
    done = subprocess.run(["sh", "-c", step(name)], env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def pull_request(base, expected, what):
    """Measures and compares HEAD with base."""
    variables = {name: given.get(name.lower(), inputs[name.lower()]) for name in ("BUILD", "RUN", "MACHINE", "EVENTS")}
    status, said = run("Measure", BASE=base, **variables)
    assert status == 0, said
    status, said = run("Compare", GITHUB_STEP_SUMMARY=os.getcwd() + "/summary.md", CONDITIONS=given["fail-if"])
    print(said)
    assert status == expected, f"{what}: exit status {status}"
    with open("summary.md", encoding="utf-8") as of:
        summary = of.read()
    with open("boxscore.xml", encoding="utf-8") as of:
        cases = of.read()
    return summary, cases


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(folder + "/bin")
    os.symlink(boxscore, folder + "/bin/boxscore")
    os.environ["PATH"] = folder + "/bin:" + os.environ["PATH"]
    os.environ["HOME"] = folder
    os.mkdir(folder + "/repository")
    os.chdir(folder + "/repository")
    git("init", "-q", ".")
    first = commit(WORDS, "+", "the program")

    second = commit(WORDS, "^", "another sum, of the same words")
    summary, cases = pull_request(first, 0, "a change without traffic")
    assert "**fails**" not in summary and 'tests="1" failures="0"' in cases, summary + cases

    commit(WORDS + WORDS * 3 // 100, "^", "3 % more words")
    summary, cases = pull_request(second, 3, "a change of 3 %")
    change = float(re.search(r"\(\+([0-9.]+) %\)", cases).group(1))
    assert 2.5 < change <= 3, f"{change} % more traffic" # the loader's share is unchanged
    assert "- **fails**: `dram_bytes_read > +2%`" in summary, summary
    assert "<failure message=\"dram_bytes_read &gt; +2%: fails: " in cases, cases
    os.chdir("/")
