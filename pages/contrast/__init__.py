"""Contrastive learning without labels: a head on one layer, trained while the page is open."""

PAGE = "contrast"
