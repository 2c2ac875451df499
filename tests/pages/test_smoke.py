"""Every page opens: the pages' part of `make check`. `make test` has the pages' own tests."""

import pytest

from pages.common.page_list import PAGES
from tests.pages.visits import healthy, new_visit


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens(page: str):
    assert healthy(new_visit(page).run()).title[0].value
