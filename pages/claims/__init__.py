"""The page Claims: what the literature says, and what is measured here."""

PAGE = "claims"
