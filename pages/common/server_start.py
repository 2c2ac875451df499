"""What a server does once, before its first visit."""

from __future__ import annotations

from streamlit.runtime.pages_manager import PagesManager


def prepare() -> None:
    """Import what the landing page needs, and turn off Streamlit's own list of pages.

    Before any visit: while one visit imports pandas, Plotly in another visit finds it half imported
    in sys.modules, and fails. The first visitor would also wait 0.5 s for pandas and SciPy.
    """
    import pandas  # noqa: F401
    import scipy.spatial  # noqa: F401

    # Until the first st.navigation, Streamlit takes any folder `pages` for its older list of
    # pages. The first visit by a deep link would then show "Page not found" above the page.
    PagesManager.uses_pages_directory = False
