"""Seconds until MLflow's pages show a study; the table of benchmarks/README.md.

Usage: python -m benchmarks.pages FOLDER, which has an mlflow.db. Opens the index and the first named views in
headless Chromium, each as a first-time visitor, and waits for the first chart or the first row of a table.
Seconds by the clock; in brackets those that browser and server computed.
"""

from __future__ import annotations

import re
import shutil
import sys
import time
from pathlib import Path

import psutil
from playwright.sync_api import Browser, sync_playwright

from stackel_bench.reporting.mlflow.ui_server import running_server

FIRST_SEEN = {"CHART": ".js-plotly-plot", "TABLE": ".ag-row", "index": "section nav a"}
LINKS = "links => links.map(a => [a.innerText, a.getAttribute('href')])"
MOST_VIEWS = 3


def computed() -> dict[int, float]:
    """Seconds that each process below this one has computed so far."""
    times = {process.pid: process.cpu_times() for process in psutil.Process().children(recursive=True)}
    return {pid: time.user + time.system for pid, time in times.items()}


def opened(browser: Browser, url: str, seen: str) -> tuple[str, list[tuple[str, str]]]:
    """The time until the first of these elements is visible, and all links of the page."""
    page = browser.new_context(viewport={"width": 1600, "height": 1000}, locale="en-US").new_page()
    start, before = time.perf_counter(), computed()
    page.goto(url)
    page.locator(seen).first.wait_for(timeout=400_000)
    busy = sum(seconds - before.get(pid, 0.0) for pid, seconds in computed().items())
    taken = f"{time.perf_counter() - start:.1f} ({busy:.1f})"
    links = page.eval_on_selector_all("nav a", LINKS)
    page.context.close()
    return taken, [(name, address) for name, address in links]


def main(output: Path) -> None:
    """A row per page."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with running_server(output) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        taken, links = opened(browser, server.link, FIRST_SEEN["index"])
        print(f"| index of studies | {taken} | |", flush=True)
        for name, address in [link for link in links if "viewStateShareKey" in link[1]][:MOST_VIEWS]:
            address = server.url + address
            by_mode = [
                opened(browser, re.sub("Mode=[A-Z]+", f"Mode={mode}", address), FIRST_SEEN[mode])[0]
                for mode in ("CHART", "TABLE")
            ]
            print(f"| {name} | {by_mode[0]} | {by_mode[1]} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
