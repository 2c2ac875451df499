"""Arrays in, a Plotly figure out. Only this folder imports Plotly; text is an argument."""

from ..errors import need

need("app", "plotly")
