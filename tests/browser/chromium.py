"""Find Chromium, or install it: for the Makefile and the browser tests."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

# The headless shell is first, because it runs the same tests in two thirds of the time.
COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
# Without the second package Chinese characters are empty boxes.
DEBIAN_PACKAGES = ("chromium-headless-shell", "fonts-noto-cjk")

# The drawing flags give WebGL without a graphics card.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # Otherwise, without a graphics card, frames are up to half a minute late.
    "--disable-gpu-rasterization",
)


def find_chromium() -> str | None:
    """The path of Chromium: from $CHROMIUM, from PATH or from Playwright; None if there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise FileNotFoundError(
                f"CHROMIUM names {named!r}, which is no program; correct it or unset it."
            )
        return found
    on_path = (shutil.which(command) for command in COMMANDS)
    return next((path for path in on_path if path), None) or _playwright_chromium()


def install_chromium() -> str:
    """Install Chromium, with apt as root on Debian, else with Playwright; return its path."""
    if is_root_on_debian():
        apt_install(*DEBIAN_PACKAGES)
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)
    path = find_chromium()
    if path is None:
        raise FileNotFoundError(
            "Chromium was installed but is not found; name its path in the variable CHROMIUM."
        )
    return path


def _playwright_chromium() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def apt_install(*packages: str) -> None:
    """Install Debian packages without the packages that they recommend."""
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*apt, "update"], check=True)
    subprocess.run(
        [*apt, "install", "-y", "--no-install-recommends", *packages],
        check=True,
        env=environment,
    )


def is_root_on_debian() -> bool:
    """Whether ``apt_install`` works here."""
    # Not on Ubuntu: its chromium package only installs a snap.
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    try:
        return platform.freedesktop_os_release().get("ID") == "debian"
    except OSError:
        return False


if __name__ == "__main__":
    found = find_chromium()
    if found is None:
        print("No Chromium found; installing one for the browser tests", flush=True)
        found = install_chromium()
    print(f"Chromium: {found}")
