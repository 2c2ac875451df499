"""The seed of every random step of the pages, without Streamlit, for other processes too."""

SEED = 0
