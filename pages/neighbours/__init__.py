"""Nearest neighbours before and after a treatment: what leaves, what enters, which are hubs."""

PAGE = "neighbours"
