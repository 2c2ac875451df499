"""A corpus of the reader's own."""
