"""The generated pages of the manual, as the tests read them."""
import re

# A row of a section: its label, and its text.
ROW = r"^\\fB%s\\fR\n(.*)$"
UMASK = r"^0x[0-9a-f]+\\ \\ \\fB%s\\fR.*\n(.*)$"  # with its bits


def plain(text):
    return text.replace("\\:", "").replace("\\-", "-").replace("\\(aq", "'")


def read(files):
    """The pages, by the names of their files."""
    return {f.name: plain(f.read_text(encoding="utf-8")) for f in files}


def sections(page):
    """The parts of a page that begin with .SS, by name."""
    parts = re.split(r"^\.S[SH] (.*)\n", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def of_pmus(pages):
    """The sections of each PMU's page, by the PMU's name."""
    named = {page: re.search(ROW % "PMU", page, re.M) for page in pages.values()}
    return {name[1]: sections(page) for page, name in named.items() if name}


def of_event(pmus, event):
    """The section of an event, "PMU::EVENT" or "PMU::EVENT:UMASK", and the text of its unit mask; None: there is
    no such section, or no text of it."""
    pmu, _, rest = event.partition("::")
    name, _, umask = rest.partition(":")
    section = pmus.get(pmu, {}).get(f"{pmu}::{name}")
    item = section and umask and re.search(UMASK % re.escape(umask), section, re.M)
    return section, item[1] if item else None


def runs_of(pmus, event):
    """Names of the runs that make the event count; None: the page does not say."""
    section, item = of_event(pmus, event)
    if section is None or (":" in event.partition("::")[2] and item is None):
        return None
    if item is not None:
        said = re.search(r"(?:^|; )counts in (none of the runs|programs, such as .*|.*)$", item)
        names = said and said[1]
        return None if not said else "" if re.match("none of|programs,", names) else names
    said = re.search(ROW % "workloads", section, re.M)
    return None if not said or "not modelled" in said[1] else "" if said[1].startswith("none") else said[1]
