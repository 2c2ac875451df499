"""The landing page: the raw cloud beside the whitened one."""

from __future__ import annotations

from pages.common.cone_explorer import explore
from pages.common.shell import close_page, open_page
from pages.common.uploads import chosen_corpus

_ = open_page("narrow_cone")
explore(chosen_corpus(), _)
close_page("narrow_cone", _)
