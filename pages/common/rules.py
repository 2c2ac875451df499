"""The operator's rules for models and folders, for this visit."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

import streamlit as st

from geometry.hub.operator_limits import ModelLimits, read_model_limits

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# A proxy adds one of these headers, or one that begins with X-Forwarded-, to what it forwards.
FORWARDED = ("forwarded", "via", "x-real-ip", "cf-connecting-ip")


def model_rules() -> ModelLimits:
    """The limits of narrow-cone.toml.

    If the file does not set whether folders may be read, they may be if the server answers this
    machine only. Raises OperatorFileError. Call it inside a visit, not inside a job.
    """
    rules = read_model_limits()
    if rules.local_folders is None:
        rules = replace(rules, local_folders=_is_for_this_machine())
    return rules


def _is_for_this_machine() -> bool:
    """Whether the server listens on this machine only, and the visit came through no proxy."""
    headers = st.context.headers
    names = [name.lower() for name in headers]
    if any(name in FORWARDED or name.startswith("x-forwarded-") for name in names):
        return False
    host = headers.get("Host")
    hosts = [st.get_option("server.address"), *([] if host is None else [_name_of(host)])]
    return all(each in LOOPBACK for each in hosts)


def _name_of(host: str) -> str | None:
    """The name in a Host header, without the port; None if the header is invalid."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
