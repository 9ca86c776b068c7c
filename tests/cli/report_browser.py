"""The page of `report --html` in a browser: it is opened, clicked, dragged, searched and photographed, at the sizes of a
phone, a laptop and a desk, light and dark, printed, and without scripts. In the long suite.

usage: report_browser.py SOURCE BOXSCORE            the test; with BX_PICTURES=DIRECTORY the pictures stay there
       report_browser.py SOURCE BOXSCORE PICTURE    writes the picture of the README
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

bad = []
DRIVER, BROWSER = shutil.which("chromedriver"), shutil.which("chromium")
SIZES = [(390, 844), (1280, 900), (1920, 1080)]
PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's selenium


def expect(what, is_, should):
    if is_ != should:
        bad.append(f"{what}: {is_}, not {should}")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    if sys.executable != PYTHON and os.path.exists(PYTHON) and not os.environ.get("BX_SECOND_PYTHON"):
        os.execve(PYTHON, [PYTHON, *sys.argv], dict(os.environ, BX_SECOND_PYTHON="1"))
    webdriver = None


@contextlib.contextmanager
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(service=webdriver.chrome.service.Service(DRIVER), options=options)
    try:
        yield Window(opened)
    finally:
        opened.quit()


class Window:
    def __init__(self, opened):
        self.driver = opened

    def look(self, width, height, scheme="light", media=""):
        """The size of the window, and what its user prefers."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, page):
        self.driver.get(f"file://{os.path.abspath(page)}")

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def text(self, css):
        return [element.text for element in self.all(css)]

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def messages(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def sum_of_all(self, column="waits"):
        """The last line of the open table."""
        return self.run("""const table = document.querySelector('.panel.open table');
            const at = [...table.querySelectorAll('thead th')].findIndex((th) => th.textContent.startsWith(arguments[0]));
            return Number(table.querySelector('tr.all').children[at].textContent.replaceAll(',', ''));""", column)

    def scroll(self, css):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", css)
        time.sleep(0.1)


# ---- what is looked at ----

def check_first_screen(window):
    """Whoever has never seen the program finds each cause by its card."""
    cards = " ".join(window.text(".card"))
    for word in ("false-sharing", "counters", "follow", "add_up", "write_log"):
        expect(f"a card has {word}", word in cards, True)
    for card in window.all(".card.hot"):
        expect("a card has a share", all(c in card.text for c in ("%", "of all")), True)
    expect("loaded from elsewhere", window.run("return performance.getEntriesByType('resource').length"), 0)
    expect("boxes of the machine", window.run("return document.querySelectorAll('#machine .unit:not(.matrix .unit)').length"), 4 + 4 + 1 + 1)
    counts = window.run("return [...document.querySelectorAll('#machine .matrix title')].map((t) => Number(t.textContent.split(': ')[1].replaceAll(',', '')))")
    slices = window.run("return D.units.filter((u) => u[0] === D.matrix[0][0]).reduce((a, u) => a + u[4], 0)")
    expect("the matrix of cores and slices", (len(counts) % 4, sum(counts) > 0, sum(counts)), (0, True, slices))
    expect("strips", len(window.all("#strips .strip svg")) >= 4, True)
    phases = window.text("#strips .track button")
    for name in ("follow", "add_up"):
        expect(f"phase {name}", any(name[:2] in phase for phase in phases), True)


def check_rows(window):
    window.one("#tab-line").click()
    expect("dearest line", window.text("#line tbody tr th")[0].split()[0], "follow")
    expect("no line of the source is cut", window.run("""return [...document.querySelectorAll('#source code')]
        .filter((line) => line.scrollWidth > line.clientWidth).length"""), 0)
    expect("its source", "sum += (long)at & 1" in window.one("#source .hot").text or "at = at->next" in window.one("#source .hot").text, True)
    whole = window.sum_of_all()
    window.one("#tab-object").click()
    expect("sums of tables", window.sum_of_all(), whole)
    row = next(row for row in window.all("#object tbody tr") if row.text.startswith("counters"))
    row.click()
    expect("restriction", window.text("#chips .chip"), ["object: counters ✕"])
    window.one("#tab-line").click()
    names = {name.split()[0] for name in window.text("#line tbody tr th")}
    expect("who uses it", {"count_left", "count_right"} <= names and "follow" not in names, True)
    expect("restricted sum is less", 0 < window.sum_of_all() < whole, True)
    expect("selected row", window.text("#object tr.on th"), [""])  # of a tab that is closed
    window.press(Keys.ESCAPE)
    expect("Escape", (window.text("#chips .chip"), window.sum_of_all()), ([], whole))
    header = next(button for button in window.all("#line thead button") if button.text.replace("\n", " ").startswith("memory"))
    header.click()
    expect("sorted", len(window.all("#line thead th[aria-sort]")), 1)


def check_drag(window):
    window.one("#tab-line").click()
    whole = window.sum_of_all("waits")
    window.scroll("#strips")
    strip = window.one("#strips .strip svg")
    width = strip.size["width"]
    ActionChains(window.driver).move_to_element(strip).move_by_offset(-int(width * 0.45), 0).click_and_hold() \
        .move_by_offset(int(width * 0.1), 0).move_by_offset(int(width * 0.15), 0).release().perform()
    chips = window.text("#chips .chip")
    expect("a drag chooses a time", len(chips) == 1 and chips[0].startswith("time: "), True)
    part = window.sum_of_all("waits")
    expect("the tables are of that time", 0 < part < whole, True)
    should = window.run("""let sum = 0;
        for (const [event, span, n] of D.moments) if (D.events[event].wait && span - 1 >= state.begin && span - 1 <= state.end) sum += n;
        return sum;""")
    expect("waits of that time", part, should)
    expect("the frame", window.one("#selection").size["width"] > 10, True)
    window.one("#strips").send_keys(Keys.SHIFT, Keys.ARROW_RIGHT)
    expect("keys widen it", window.sum_of_all("waits") >= part, True)
    phase = next(button for button in window.all("#strips .track button") if button.text.startswith("follow"))
    phase.click()
    expect("a phase is a time", window.text("#line tbody tr th")[0].split()[0], "follow")
    window.press(Keys.ESCAPE)
    expect("Escape shows all", window.sum_of_all("waits"), whole)


def check_search_and_keys(window):
    window.one("#tab-function").click()
    window.run("document.activeElement.blur()")
    window.press("/")
    expect("the search has the focus", window.run("return document.activeElement.id"), "search")
    window.press("COUNT_R")
    expect("found", sorted(name.split()[0] for name in window.text("#function tbody tr th")), ["count_right"])
    window.press(Keys.ESCAPE)
    window.one("#tab-function").send_keys(Keys.ARROW_RIGHT)
    expect("next tab", window.text("#tabs [aria-selected=true]"), ["Objects"])
    window.one("#object tbody tr").send_keys(Keys.ARROW_DOWN)
    expect("next row", window.run("return [...document.querySelectorAll('#object tbody tr')].indexOf(document.activeElement)"), 1)
    window.press(Keys.ENTER)
    expect("Enter chooses", len(window.all("#chips .chip")), 1)
    window.press(Keys.ESCAPE)


def check_flame(window):
    window.one("#tab-flame").click()
    frames = window.run("return [...document.querySelectorAll('.frame')].map((f) => f.getAttribute('aria-label'))")
    for name in ("main", "follow", "count_left"):
        expect(f"frame of {name}", any(frame.startswith(name + ":") for frame in frames), True)
    frame = next(f for f in window.all(".frame") if f.get_attribute("aria-label").startswith("follow:"))
    before = frame.size["width"]
    frame.find_element(By.CSS_SELECTOR, "rect").click()
    zoomed = window.one(".frame")
    expect("zoomed", zoomed.get_attribute("aria-label").startswith("follow:") and zoomed.size["width"] > before, True)
    window.one("#flame-note button").click()
    measure = window.one("#measure")
    names = [option.text for option in measure.find_elements(By.TAG_NAME, "option")]
    expect("names of measures", [name for name in names if name.startswith("memory writes") or name.startswith("waits for memory —")],
           ["memory writes — skl_unc_imc::DRAM_DATA_WRITES", "waits for memory — wait:memory"])
    event = next(option for option in measure.find_elements(By.TAG_NAME, "option") if option.text.endswith("DRAM_DATA_WRITES"))
    event.click()
    frames = window.run("return [...document.querySelectorAll('.frame')].map((f) => f.getAttribute('aria-label'))")
    expect("frames of an event", all("memory writes" in frame for frame in frames) and len(frames) > 1, True)
    window.one("#measure option").click()


def check_shared(window):
    button = next(card for card in window.all(".card") if "false-sharing" in card.text).find_element(By.TAG_NAME, "button")
    button.click()
    lines = window.run("return document.querySelectorAll('#shared tbody tr:not(.side)').length")
    expect("a card opens its rows", window.text("#tabs [aria-selected=true]"), [f"Shared lines ({lines})"])
    window.one("#tab-line").click()
    window.one("#causes .moved button").click()
    expect("so do its words", window.one("#shared").is_displayed(), True)
    first = window.run("return document.querySelector('#shared tbody tr').textContent")
    expect("its data", "counters" in first, True)
    boxes = window.run("return [...document.querySelector('#shared .bytes').querySelectorAll('rect')].map((r) => r.className.baseVal)")
    expect("two threads use bytes of their own", boxes[:3], ["one", "one", "none"])
    window.press(Keys.ESCAPE)


CONTRAST = """
const rgb = (color) => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = color; c.fillRect(0, 0, 1, 1);
  return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3); };
const light = (color) => rgb(color).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; })
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const style = getComputedStyle(document.documentElement), of = (name) => style.getPropertyValue('--' + name).trim();
return arguments[0].map(([a, b]) => { const x = light(of(a)), y = light(of(b));
  return [a, b, (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)]; });
"""
TEXTS = [(ink, ground) for ground in ("ground", "box", "mark") for ink in ("ink",)] + [("soft", "ground"), ("soft", "box"), ("warn", "ground")] \
    + [("ink", f"heat{n}") for n in range(5)] + [("ink", "frame0"), ("ink", "frame1")]


def check_looks(window, page, pictures):
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            window.look(width, height, scheme)
            window.open(page)
            window.driver.save_screenshot(os.path.join(pictures, f"{width}-{scheme}-first.png"))
            loaded = window.run("const n = performance.getEntriesByType('navigation')[0]; return Math.round(n.loadEventEnd - n.startTime)")
            print(f"{width} px, {scheme}: loaded in {loaded} ms")
            expect(f"{width} px: width", window.run("return document.documentElement.scrollWidth") <= width, True)
            for tab in window.run("return [...document.querySelectorAll('#tabs button')].map((b) => b.id)"):
                window.one(f"#{tab}").click()
                expect(f"{width} px, {tab}: width", window.run("return document.documentElement.scrollWidth") <= width, True)
                window.run("document.getElementById('tables').scrollIntoView()")
                window.driver.save_screenshot(os.path.join(pictures, f"{width}-{scheme}-{tab}.png"))
            for ink, ground, contrast in window.run(CONTRAST, TEXTS):
                if contrast < 4.5:
                    bad.append(f"{scheme}: {ink} on {ground} has a contrast of {contrast:.1f}")
            if width < 500:
                expect("rows of two lines", window.run("return getComputedStyle(document.querySelector('thead')).display"), "none")


def check_without_scripts(window, page):
    window.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    window.look(1280, 900)
    window.open(page)
    for name in ("function", "line", "object", "thread", "shared", "event"):
        expect(f"table {name} without scripts", window.one(f"#{name} table").is_displayed(), True)
    expect("source without scripts", window.one("#sources summary").is_displayed(), True)
    window.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def check_print(window, page):
    window.look(1280, 900)
    window.open(page)
    window.look(1280, 900, media="print")
    for name in ("function", "line", "object", "thread"):
        expect(f"table {name} on paper", window.one(f"#{name} table").is_displayed(), True)
    expect("no controls on paper", window.one("#tabs").is_displayed(), False)


def check_foreign_names(window, boxscore):
    """Names that are markup do nothing."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import report_findings
    recording = report_findings.Recording("evil")
    report_findings.false_sharing(recording)
    for at, name in enumerate(("</script><script>window.evil = 1</script>", "<img src=x onerror='window.evil = 2'>", "<!--<script>")):
        recording.put("code", (50 + at, None, at, name, name, 1))
        recording.cost("wait:memory", 50 + at, 1000)
    recording.end()
    subprocess.run([boxscore, "report", "evil", "--html", "evil.html"], check=True)
    window.look(1280, 900)
    window.open("evil.html")
    expect("foreign code", window.run("return [window.evil === undefined, document.images.length, document.scripts.length]"), [True, 0, 2])
    expect("foreign name", window.text("#line tbody tr th code")[0].startswith("<"), True)


def make_page(source, boxscore, machine):
    shutil.copy(source, "page_causes.c")
    subprocess.run(["cc", "-O1", "-g", "-pthread", "-o", "page_causes", "page_causes.c"], check=True)
    subprocess.run([boxscore, "record", "-o", "r", "--machine", machine, "--", "./page_causes"],
                   capture_output=True, check=True)
    subprocess.run([boxscore, "report", "r", "--html", "page.html"], check=True)


def main(source, boxscore, picture):
    make_page(source, boxscore, "virtual:skl" if picture else "virtual:skl,part=plain,llc=2M,locked=18")
    with browser() as window:
        if picture:
            window.look(1280, 1500)
            window.open("page.html")
            window.driver.save_screenshot(picture)
            return 0
        window.look(1280, 900)
        window.open("page.html")
        for check in (check_first_screen, check_rows, check_drag, check_search_and_keys, check_flame, check_shared):
            check(window)
        pictures = os.environ.get("BX_PICTURES") or "pictures"
        os.makedirs(pictures, exist_ok=True)
        check_looks(window, "page.html", pictures)
        check_without_scripts(window, "page.html")
        check_print(window, "page.html")
        check_foreign_names(window, boxscore)
        expect("messages of the browser", window.messages(), [])
    print("\n".join(bad))
    print(f"{len(bad)} bad")
    return bool(bad)


if not os.environ.get("BX_LONG") and len(sys.argv) < 4:
    skip("BX_LONG is not set")
if not (DRIVER and BROWSER and webdriver):
    skip("apt-get install chromium chromium-driver python3-selenium")
if __name__ == "__main__":
    given = [os.path.abspath(path) for path in sys.argv[1:]]
    given[2:] = given[2:] or [None]
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        os.environ.pop("MALLOC_PERTURB_", None)  # the suite sets it: malloc() of the program would write all it gives
        sys.exit(main(*given))
