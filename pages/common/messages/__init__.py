"""Errors in words, for every page."""
