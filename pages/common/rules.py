"""The operator's rules for models and folders, for this visit."""

from dataclasses import replace
from urllib.parse import urlsplit

import streamlit as st

from geometry.hub.operator_limits import ModelLimits, read_model_limits

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# A proxy adds one of these headers, or one that begins with X-Forwarded-, to what it forwards.
FORWARDED = ("forwarded", "via", "x-real-ip", "cf-connecting-ip")


def model_rules() -> ModelLimits:
    """The limits of narrow-cone.toml; by default a server of this machine only reads folders."""
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
    hosts = [st.get_option("server.address")]
    try:
        if "Host" in headers:
            hosts.append(urlsplit(f"//{headers['Host']}").hostname)
    except ValueError:
        return False
    return all(each in LOOPBACK for each in hosts)
