"""Frequent and rare words: length, neighbours, cosines, and what follows for sentences."""

PAGE = "word_frequency"
