from .page import view_html as view_html
from .page import view_png as view_png
from .view import CloudView as CloudView
from .view import make_view as make_view
from .view import show as show
