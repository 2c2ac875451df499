"""The accessibility faults of a page, found by axe-core."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = ("serious", "critical")
ENFORCED = ("heading-order", "empty-table-header")  # of whole pages; moderate and minor for axe


def grave_findings(page: Page, within: str) -> list[str]:
    """Each serious, critical or enforced finding in the part of the page that the selector names.

    One line each: the rule, its help and the elements.
    """
    assert page.locator(within).count() > 0, f"nothing to scan: no {within} on the page"
    # With the passes a scan that found nothing to look at differs from a clean one.
    options = {"resultTypes": ["violations", "passes"]}
    found = Axe().run(page, context=within, options=options).response
    assert found["passes"], f"axe looked at nothing in {within}"
    return [
        f"{finding['id']} ({finding['impact']}): {finding['help']}: "
        + ", ".join(str(node["target"]) for node in finding["nodes"])
        for finding in found["violations"]
        if finding["impact"] in GRAVE or (within == "body" and finding["id"] in ENFORCED)
    ]
