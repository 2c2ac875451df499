"""Every figure in docs/benchmarks.md, each beside its peer in the same run: python -m bench."""
