"""Buttons that download a fitted transform, or files in a zip archive."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from geometry.export import AffineMap, numpy_files, onnx_bytes
from geometry.export.affine import transform_bytes
from geometry.export.numpy_files import zipped

from .words import in_language


def offer_transform(make: Callable[[], AffineMap], name: str) -> None:
    """A button for each form of the file, which is made when the button is pressed."""
    offer_file("safetensors", f"{name}.safetensors", lambda: transform_bytes(make()))
    offer_file("ONNX", f"{name}.onnx", lambda: onnx_bytes(make()))
    offer_file("NumPy", f"{name}-numpy.zip", lambda: zipped(numpy_files(make())))


def offer_file(label: str, file_name: str, content: Callable[[], bytes]) -> None:
    """A download button. The file is made when it is pressed."""
    st.download_button(
        label,
        data=in_language(content),
        file_name=file_name,
        mime="application/octet-stream",
        icon=":material/download:",
        on_click="ignore",
        key=f"take-{label}",
    )
