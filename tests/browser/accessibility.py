"""What keeps people out of a page, as axe-core finds it."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = ("serious", "critical")


def grave_findings(page: Page, within: str) -> list[str]:
    """Each serious or critical finding in the part of the page that the selector names.

    One line each: the rule, what it asks, and the elements; empty where all is well.
    """
    assert page.locator(within).count() > 0, f"nothing to scan: no {within} on the page"
    # two results, so that a scan that looked at nothing is told apart from a clean one
    options = {"resultTypes": ["violations", "passes"]}
    found = Axe().run(page, context=within, options=options).response
    assert found["passes"], f"axe looked at nothing in {within}"
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: "
        + ", ".join(str(node["target"]) for node in one["nodes"])
        for one in found["violations"]
        if one["impact"] in GRAVE
    ]
