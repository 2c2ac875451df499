"""Cosine under a change of basis, in the plane."""

PAGE = "cosine_basis"
