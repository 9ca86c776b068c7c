"""The site's search in a browser: the page that answers a question comes first. site.py runs it on the site that it
has built. usage: site_search.py HTML"""

import os
import shutil
import sys
import urllib.parse

DRIVER, BROWSER = shutil.which("chromedriver"), shutil.which("chromium")
SKIPPED = 77

# What users of perf, PCM and LIKWID look for, and where the answer is.
ASKED = {
    "memory bandwidth": "docs/how-to/count-dram-traffic",
    "how much memory traffic does my program make": "docs/how-to/count-dram-traffic",
    "which function reads memory": "docs/how-to/find-the-function-that-reads-memory",
    "find false sharing": "docs/how-to/find-false-sharing",
    "install": "docs/how-to/install",
    "without root": "docs/how-to/measure-without-root",
    "perf stat": "docs/how-to/from-perf-stat",
    "valgrind callgrind": "docs/how-to/from-callgrind",
    "likwid markers": "docs/how-to/measure-a-region",
    "pull request": "docs/how-to/compare-two-versions-in-ci",
    "sweep cache size": "docs/how-to/sweep-over-machines",
    "flame graph": "docs/how-to/draw-a-flame-graph-of-misses",
    "pandas": "docs/how-to/use-python",
    "prometheus": "docs/how-to/export-to-prometheus",
    "blocked": "docs/how-to/when-a-value-is-missing",
    "read a register value": "docs/how-to/read-a-register-value",
    "not modelled": "docs/reference/not-modelled",
    "multiplexing": "docs/tutorial/07-multiplexing",
    "remote memory": "docs/tutorial/08-sockets",
    "UNC_CBO_CACHE_LOOKUP": "manual/boxscore-skl-cbo",
}


def first_page(driver, root, question):
    """The search shows its results one by one, and then says that it is finished."""
    driver.get(f"file://{root}/search.html?q={urllib.parse.quote(question)}")
    WebDriverWait(driver, 120).until(
        lambda d: any("finished" in e.text for e in d.find_elements(By.CSS_SELECTOR, "p.search-summary")))
    link = driver.find_element(By.CSS_SELECTOR, "ul.search li a").get_attribute("href")
    return os.path.relpath(urllib.parse.unquote(urllib.parse.urlsplit(link).path), root).removesuffix(".html")


def main():
    root = os.path.abspath(sys.argv[1])
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    driver = webdriver.Chrome(service=webdriver.chrome.service.Service(DRIVER), options=options)
    try:
        found = {question: first_page(driver, root, question) for question in ASKED}
    finally:
        driver.quit()
    bad = [f"'{question}' leads to {page}, not to {ASKED[question]}"
           for question, page in found.items() if page != ASKED[question]]
    print(*bad, f"{len(found)} questions, {len(bad)} wrong", sep="\n")
    return len(bad) > 0


try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = None
if webdriver is None or not DRIVER or not BROWSER:
    print("search is not asked: no chromium with selenium (./setup kernel)")
    sys.exit(SKIPPED)
sys.exit(main())
