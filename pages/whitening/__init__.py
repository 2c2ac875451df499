"""Every treatment of a cloud beside every measure of it."""

PAGE = "whitening"
