"""A corpus of the reader's own."""

PAGE = "your_corpus"
