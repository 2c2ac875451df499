"""Narrow Cone: see, measure and undo the anisotropy of embeddings."""

import os

import streamlit as st

from geometry.hub import OperatorFileError
from geometry.hub.operator_limits import FILE_VARIABLE
from pages.common.cache import end_run, memory_limits
from pages.common.classroom.bar import show_class_bar
from pages.common.page_list import LANDING, PAGES, page_path
from pages.common.server_memory import return_memory
from pages.common.streamlit_internals import StopException


def run_page() -> None:
    """Run the page of the visitor's address. The shared sidebar links the pages."""
    pages = {name: st.Page(page_path(name), url_path=name) for name in PAGES}

    def home() -> None:
        """The bare address leads to the landing page's own: every page has one address."""
        first = "your_corpus" if os.environ.get(FILE_VARIABLE) else LANDING
        st.switch_page(pages[first], query_params=st.query_params.to_dict())

    page = st.navigation([st.Page(home, default=True), *pages.values()], position="hidden")
    try:
        page.run()
    except StopException:  # a page that ends early belongs to a class too
        show_class_bar()
        raise
    finally:
        end_run()
        return_memory()
    show_class_bar()


if __name__ == "__main__":  # a visit: Streamlit runs this file as its script
    run_page()
else:  # the server's start: `streamlit run` imports this file once and serves `app`
    # Imported before any visit: while one visit imports pandas, Plotly in another visit finds it
    # half imported in sys.modules, and fails. The first visitor would also wait for these modules.
    import pandas  # noqa: F401
    import scipy.spatial  # noqa: F401
    from starlette.middleware import Middleware

    import pages.narrow_cone.explore  # noqa: F401
    from pages.common.classroom.wait import routes
    from pages.common.messages import show_failure
    from pages.common.server_memory import UploadLimit, while_running
    from pages.common.streamlit_internals import correct_faults

    try:
        memory_limits()
    except OperatorFileError as error:  # the defaults may be more than the machine has
        raise SystemExit(str(error)) from error
    correct_faults()
    app = st.App(
        "app.py",
        lifespan=while_running,
        routes=routes(),
        middleware=[Middleware(UploadLimit)],
        on_script_error=show_failure,
    )
