"""Checked rows, their moments and spectra, and products by blocks of rows."""
