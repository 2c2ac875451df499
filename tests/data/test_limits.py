"""The limits of uploads: one place in the library, and Streamlit's own setting held to it."""

import re
import tomllib
from pathlib import Path

from geometry.data import limits

ROOT = Path(__file__).resolve().parents[2]


def test_streamlit_s_upload_limit_is_the_library_s():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["maxUploadSize"] * limits.MEGABYTE == limits.MAX_BYTES


def test_pages_state_no_size_of_their_own():
    """A number of bytes or megabytes in a page would drift from the library's."""
    own = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "pages").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"MEGABYTE\w* = \d|\d+ \* MEGABYTE|max_upload_size=\d", line)
    ]
    assert not own
