"""A view as one file of HTML that needs no network: scripts, styles and data are inside.

Its policy allows the one script and the one style by their digests, and no address at all.
"""

import base64
import gzip
import json
from hashlib import sha256
from html import escape

from ..data.translations import catalogue
from ..palette import DARK, LIGHT, Theme
from ..shipped import shipped_file
from .picture import view_png
from .view import VIEW_TEXT, CloudView

_FRAME = """
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.4 system-ui, "Noto Sans TC", sans-serif; }
h1 { margin: 0 0 0.6rem; font-size: 1.2rem; overflow-wrap: anywhere; }
h2 { margin: 0.8rem 0 0; font-size: 1rem; }
ol { padding-left: 1.5rem; overflow-wrap: anywhere; }
input { font: inherit; padding: 0.3rem 0.5rem; width: min(20rem, 95%); }
noscript img { max-width: 100%; }
"""


def component_text(name: str) -> str:
    return shipped_file(f"components/{name}").read_text(encoding="utf-8")


def view_styles() -> str:
    """The style sheet of the pictures and of what is around them."""
    return component_text("twin_cloud/twin_cloud.css") + component_text("twin_view.css")


def view_html(view: CloudView, title: str = "") -> str:
    """The file's text. Each text of the reader is escaped.

    title : the heading; by default the names of the pictures
    """
    title = title or view.cloud.name
    picture = base64.b64encode(view_png(view)).decode()
    described = json.dumps({**view.description(None), "picture": picture}, ensure_ascii=False)
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}"
    style = f":root {{ {_variables(LIGHT)} }}\n{dark}{_FRAME}{view_styles()}"
    script = component_text("built/saved.js")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    find = escape(catalogue(view.language).gettext(VIEW_TEXT["find"]))
    arrays = [_data(f"array-{each.name}", each.body) for each in view.cloud.arrays.values()]
    data = "\n".join([_data("cloud-description", described.encode()), *arrays])
    alt, about = escape(view.cloud.alt), escape(view.cloud.provenance)
    return f"""<!doctype html>
<html lang="{escape(view.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p><input id="search" type="search" placeholder="{find}" aria-label="{find}"></p>
<div id="cloud"></div>
<noscript><img src="data:image/png;base64,{picture}" alt="{alt}">
<p>{alt}</p><p>{about}</p></noscript>
<h2></h2><ol id="selected"></ol>
{data}
<script type="module">{script}</script>
</body>
</html>
"""


def _variables(theme: Theme) -> str:
    return f"--paper: {theme.paper}; --ink: {theme.ink};"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(name: str, body: bytes) -> str:
    """Compressed, and in letters that no tag can end."""
    text = base64.b64encode(gzip.compress(body, 6, mtime=0)).decode()
    return f'<script type="text/plain" id="{name}">{text}</script>'
