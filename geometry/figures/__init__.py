"""Arrays in, a Plotly figure out. The only place that knows Plotly; words come as arguments."""
