"""Treatments scored on sentence pairs."""
