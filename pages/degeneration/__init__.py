"""Why embeddings degenerate: models that are trained while the reader watches."""

PAGE = "degeneration"
