"""What a first-time visitor sees: the index of studies, MLflow's pages on a real sweep, the report.

One test, because its steps share a server that takes long to start.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from stackel_bench.reporting.sweep_results import read_sweep
from stackel_bench.results.colours import TIE_COLOURS
from stackel_bench.tracking.links import CELLS_VIEW, PAIRS_VIEW, game_view, runs_link, view_query
from tests.browser.conftest import Site

PLOT = ".js-plotly-plot"


@pytest.mark.browser
def test_what_a_person_sees(site: Site, tab: Page) -> None:
    the_index_answers_and_leads_on(site, tab)
    pairs_show_a_difference_with_its_interval(site, tab)
    tie_breakings_have_their_two_colours(site, tab)
    the_table_has_verdicts_and_intervals(site, tab)
    a_study_opens_on_its_runs_without_any_link_of_ours(site, tab)
    a_run_says_what_it_is_and_has_a_picture(site, tab)
    report_and_figures_open_as_artifacts(site, tab)
    report_is_complete_and_self_contained(site, tab)
    dark_readers_get_light_ink(site, tab)
    for width in (1280, 400):
        nothing_sticks_out(site, tab, width)


def open_view(site: Site, tab: Page, view: str, mode: str = "") -> None:
    query = view_query(view)
    if mode:
        query = re.sub("compareRunsMode=[A-Z]+", f"compareRunsMode={mode}", query)
    tab.goto("about:blank")  # otherwise only what follows # changes, and the page stays
    tab.goto(f"{site.server.url}/{runs_link('1', query)}")


def the_index_answers_and_leads_on(site: Site, tab: Page) -> None:
    assert site.server.link.endswith("/studies")
    tab.goto(f"{site.server.url}/")
    expect(tab).to_have_url(site.server.link)
    expect(tab.get_by_role("heading", name=site.study)).to_be_visible()
    expect(tab.get_by_role("listitem").first).to_be_visible()
    assert tab.get_by_role("link", name="Report").count() == 1
    figure = tab.get_by_alt_text("The answer as a figure")
    figure.scroll_into_view_if_needed()
    assert figure.evaluate("image => image.decode().then(() => image.naturalWidth)") > 500
    tab.screenshot(path=site.screenshots / "mlflow_studies.png", full_page=True)
    tab.get_by_role("link", name="Pessimistic against optimistic").click()
    expect(tab.get_by_text(re.compile(r"^PAIR paper trap")).first).to_be_visible()
    expect(tab.locator(PLOT).first).to_be_visible()
    expect(tab.locator("[data-assistant-ui]").first).to_be_hidden()
    expect(tab.get_by_text("grey: open").first).to_be_visible()
    tab.screenshot(path=site.screenshots / "mlflow_pairs.png")


def pairs_show_a_difference_with_its_interval(site: Site, tab: Page) -> None:
    open_view(site, tab, PAIRS_VIEW, "TABLE")
    number = r"-?\d[\d.e-]*"
    differences = tab.locator(".ag-cell[col-id*='loss_difference']")
    expect(differences.first).to_have_text(re.compile(rf"{number} \[{number}, {number}\]"))
    expect(tab.locator(".ag-cell[col-id*='smaller_loss']").first).to_have_text(
        re.compile("pessimistic|optimistic|open")
    )
    expect(tab.locator(".ag-cell[col-id*='samples_ratio']", has_text="more than").first).to_be_visible()
    tab.screenshot(path=site.screenshots / "mlflow_pairs_table.png")


def tie_breakings_have_their_two_colours(site: Site, tab: Page) -> None:
    open_view(site, tab, game_view("bandit/trap"))
    expect(tab.get_by_text(re.compile(r"^PES paper trap ε\.")).first).to_be_visible()
    curves = tab.locator(f"{PLOT} .scatterlayer .trace path.js-line")
    expect(curves.first).to_be_visible()
    drawn = set(curves.evaluate_all("paths => paths.map(path => getComputedStyle(path).stroke)"))
    for colour in TIE_COLOURS.values():
        parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
        assert "rgb({}, {}, {})".format(*parts) in drawn
    expect(tab.get_by_text("cold: pessimistic").first).to_be_visible()
    tab.set_viewport_size({"width": 1400, "height": 900})  # readable in a page of text
    tab.wait_for_timeout(1000)
    tab.screenshot(path=site.screenshots / "mlflow_charts.png")
    tab.set_viewport_size({"width": 1600, "height": 1000})


def the_table_has_verdicts_and_intervals(site: Site, tab: Page) -> None:
    open_view(site, tab, CELLS_VIEW)
    expect(tab.locator(".ag-cell[col-id*='verdict']").first).to_have_text(re.compile("holds|fails|open"))
    expect(tab.get_by_text("fails", exact=True).first).to_be_visible()
    expect(tab.locator(".ag-cell[col-id*='failure']").first).to_have_text(re.compile(r"\[.*\]"))
    expect(tab.get_by_text(re.compile(r"\d+ matching runs"))).to_be_visible()
    tab.screenshot(path=site.screenshots / "mlflow_runs.png")


def a_study_opens_on_its_runs_without_any_link_of_ours(site: Site, tab: Page) -> None:
    tab.goto("about:blank")
    tab.goto(f"{site.server.url}/#/experiments/1")
    expect(tab.get_by_text(re.compile(r"^(PES|OPT|PAIR) paper")).first).to_be_visible()
    tab.locator("[data-component-id='mlflow.experiment.metadata_editor.expand_button']").click()
    expect(tab.get_by_role("heading", name="How to read it")).to_be_visible()
    expect(tab.get_by_text("from which on the failure probability stays at most delta")).to_be_visible()


def a_run_says_what_it_is_and_has_a_picture(site: Site, tab: Page) -> None:
    open_view(site, tab, CELLS_VIEW)
    tab.get_by_role("link", name=re.compile(r"^PES plug_in trap")).first.click()
    expect(tab.get_by_text("plug_in on bandit/trap, pessimistic tie-breaking").first).to_be_visible()
    expect(tab.get_by_role("link", name="Both tie-breakings of this cell")).to_be_visible()
    run_page = tab.url.split("?")[0]
    tab.goto("about:blank")
    tab.goto(f"{run_page}/artifacts/curve.png")
    picture = tab.locator("img[src^='blob:'], img[src*='curve'], .image-outer-container img").first
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 500
    tab.screenshot(path=site.screenshots / "mlflow_cell.png")


def report_and_figures_open_as_artifacts(site: Site, tab: Page) -> None:
    tab.goto(site.server.link)
    tab.get_by_role("link", name="Report").click()
    inside = tab.frame_locator("iframe").first
    expect(inside.get_by_role("heading", name=site.study, exact=True)).to_be_visible()
    tab.get_by_text("figures", exact=True).first.click()
    tab.get_by_text("curves_01.png", exact=True).first.click()
    picture = tab.locator("img[src^='blob:'], img[src*='curves_01'], .image-outer-container img").first
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 500


def report_is_complete_and_self_contained(site: Site, tab: Page) -> None:
    requests: list[str] = []
    tab.on("request", lambda request: requests.append(request.url))
    report = site.folder / "report.html"
    tab.set_viewport_size({"width": 1280, "height": 1000})
    tab.goto(report.as_uri())
    expect(tab.get_by_role("heading", name=site.study, exact=True)).to_be_visible()
    cells = len(read_sweep(site.folder).cells)
    assert tab.locator("td.holds, td.fails, td.open, td.vacuous").count() == cells
    for title in ("Learning curves", "Pessimistic against optimistic", "Statistics"):
        expect(tab.get_by_role("heading", name=title, exact=True)).to_be_visible()
    boxes = [drawing.bounding_box() for drawing in tab.locator("figure svg").all()]
    assert len(boxes) >= 4
    assert all(box is not None and box["width"] > 300 and box["height"] > 100 for box in boxes)
    tab.screenshot(path=site.screenshots / "report_light.png")
    tab.locator("#learning-curves").scroll_into_view_if_needed()
    tab.locator("#learning-curves figure").first.screenshot(path=site.screenshots / "report_curves.png")
    assert requests == [report.as_uri()]
    assert report.stat().st_size < 5_000_000


def nothing_sticks_out(site: Site, tab: Page, width: int) -> None:
    """Tables scroll inside their own box, the page itself does not."""
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto((site.folder / "report.html").as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def dark_readers_get_light_ink(site: Site, tab: Page) -> None:
    def brightness(colour: str) -> float:
        return sum(float(part) for part in re.findall(r"[0-9.]+", tab.evaluate(colour))[:3])

    seen = {}
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        tab.goto((site.folder / "report.html").as_uri())
        paper = brightness("getComputedStyle(document.body).backgroundColor")
        label = brightness("getComputedStyle(document.querySelector('figure svg text')).fill")
        seen[scheme] = (paper, label)
    assert seen["light"][0] > 700 > 200 > seen["light"][1]
    assert seen["dark"][0] < 200 < 600 < seen["dark"][1]
