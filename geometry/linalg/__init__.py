"""Checked rows, their moments and spectra, products by blocks."""
