"""Does making vectors isotropic help, and why: every cure at every place, with its controls."""

PAGE = "evidence"
