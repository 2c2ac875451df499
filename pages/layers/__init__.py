"""Every layer of a model: where the cone is, and which dimensions carry it."""

PAGE = "layers"
