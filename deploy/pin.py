"""Write what is installed: ``constraints.txt`` pins each package, ``docs/licences.md`` lists them.

    python -m deploy.pin

It follows the requirements of requirements-dev.txt in this environment. Then it asks Docker Hub for
the digests of the images in deploy/ and writes them beside their tags.
"""

import json
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
LICENCES = ROOT / "docs" / "licences.md"
WITH_IMAGES = (ROOT / "deploy" / "Dockerfile", ROOT / "deploy" / "compose.yaml")
REGISTRY = "https://registry-1.docker.io"
# The list of an image's builds: its digest serves every kind of processor.
LISTS = (
    "application/vnd.oci.image.index.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json"
)
SECONDS = 30
LONGEST = 60  # characters of a licence; some packages give its whole text


def required(path: Path) -> list[Requirement]:
    """The requirements of a file and of those that it includes."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found += required(path.with_name(line[3:].strip()))
        elif line and not line.startswith("#"):
            found.append(Requirement(line))
    return found


def installed(wanted: list[Requirement]) -> dict[str, Distribution]:
    """The installed packages that the requirements need, by name, in alphabetical order."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    rest = [(requirement, "") for requirement in wanted]
    while rest:
        requirement, extra = rest.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        try:
            package = found.setdefault(name, distribution(name))
        except PackageNotFoundError:  # an extra of a package that nobody asked for
            continue
        for each in ("", *requirement.extras):
            if (name, each) not in seen:
                seen.add((name, each))
                rest += [(Requirement(text), each) for text in package.requires or ()]
    return dict(sorted(found.items()))


def constraints(packages: dict[str, Distribution]) -> str:
    """A line for each package, without the name of its build."""
    lines = [f"{name}=={each.version.partition('+')[0]}" for name, each in packages.items()]
    return "# Written by `make pin`: every package, also those that others require.\n" + "".join(
        f"{line}\n" for line in lines
    )


def licences(packages: dict[str, Distribution]) -> str:
    """A table of names and licences."""
    rows = [f"| {name} | {licence_of(each)} |" for name, each in packages.items()]
    head = ["# Licences of the packages", "", "Written by `make pin`.", ""]
    return "\n".join([*head, "| package | licence |", "| --- | --- |", *rows, ""])


def licence_of(package: Distribution) -> str:
    """The licence in short."""
    given = package.metadata
    said = given.get("License-Expression") or given.get("License") or ""
    if said in ("", "UNKNOWN") or len(said) > LONGEST:
        kinds = [each for each in given.get_all("Classifier") or () if each.startswith("License")]
        said = ", ".join(each.rpartition(" :: ")[2] for each in kinds) or said
    return re.sub(r"\s+", " ", said)[:LONGEST].replace("|", "/") or "not stated"


def with_digests(text: str, registry: str = REGISTRY) -> str:
    """The text of a Dockerfile or of a file for Compose, with each tag's digest of today."""
    return re.sub(
        r"^(FROM|\s+image:) ([\w./-]+:[\w.-]+)(@\S+)?",
        lambda found: f"{found[1]} {found[2]}@{digest_of(found[2], registry)}",
        text,
        flags=re.M,
    )


def digest_of(image: str, registry: str) -> str:
    """The digest of an image such as ``python:3.11``. The registry says where to get a token."""
    name, _, tag = image.partition(":")
    address = f"{registry}/v2/{name if '/' in name else f'library/{name}'}/manifests/{tag}"
    request = Request(address, headers={"Accept": LISTS}, method="HEAD")
    try:
        answer = urlopen(request, timeout=SECONDS)
    except HTTPError as refusal:
        asked = dict(re.findall(r'(\w+)="([^"]*)"', refusal.headers.get("WWW-Authenticate", "")))
        if refusal.code != 401 or "realm" not in asked:
            raise
        with urlopen(f"{asked.pop('realm')}?{urlencode(asked)}", timeout=SECONDS) as given:
            request.add_header("Authorization", f"Bearer {json.load(given)['token']}")
        answer = urlopen(request, timeout=SECONDS)
    digest = answer.headers.get("Docker-Content-Digest", "")
    if not re.fullmatch("sha256:[0-9a-f]{64}", digest):
        raise ValueError(f"{address} has the digest {digest!r}, which is no sha256.")
    return digest


def main() -> None:
    """Write the files."""
    packages = installed(required(ROOT / "requirements-dev.txt"))
    CONSTRAINTS.write_text(constraints(packages), encoding="utf-8")
    LICENCES.write_text(licences(packages), encoding="utf-8")
    try:
        texts = {path: with_digests(path.read_text(encoding="utf-8")) for path in WITH_IMAGES}
    except (OSError, ValueError) as error:
        raise SystemExit(f"Packages are pinned. Images are as before: {error}") from error
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
