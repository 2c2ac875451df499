"""Treatments scored on sentence pairs."""

PAGE = "sentence_similarity"
