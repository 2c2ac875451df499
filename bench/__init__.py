"""Every figure the README quotes, each beside its peer in the same run: python -m bench."""
