"""A wheel of this Palio, for machines that grade: built from a checkout, or packed again from what is installed."""

import base64
import hashlib
import subprocess
import zipfile
from importlib.metadata import Distribution, distribution
from importlib.util import find_spec
from pathlib import Path

from palio_rules.errors import BadOption
from palio_rules.interpreter import python
from palio_rules.temporary import TemporaryFolder

NAME = "palio"
LEFT_OUT = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")  # of one installation, in its dist-info


def own_wheel(folder: Path) -> Path:
    """Write the wheel into `folder`, and return its path. Raises BadOption if it cannot be built."""
    installed = distribution(NAME)
    checkout = _checkout()
    return _packed(installed, folder) if checkout is None else _built(checkout, folder)


def _checkout() -> Path | None:
    """Return the folder of the sources, if Palio runs from them."""
    found = find_spec("palio_server")
    assert found is not None
    assert found.origin is not None
    root = Path(found.origin).parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / "server" / "palio_server").is_dir() else None


def _built(checkout: Path, folder: Path) -> Path:
    offline = ["--no-build-isolation"] if find_spec("hatchling") is not None else []
    with TemporaryFolder("wheel") as place:
        words = ["wheel", "--quiet", "--no-deps", *offline, "--wheel-dir", str(place), str(checkout)]
        built = subprocess.run(python("-m", "pip", *words), capture_output=True, text=True, check=False)  # noqa: S603
        found = list(place.glob("*.whl"))
        if built.returncode or not found:
            why = (built.stderr.strip().splitlines() or ["pip failed"])[-1]
            raise BadOption(f"no wheel can be built from {checkout}: {why}; install hatchling, or Palio from a wheel")
        target = folder / found[0].name
        target.write_bytes(found[0].read_bytes())
    return target


def _packed(installed: Distribution, folder: Path) -> Path:
    """Write the installed files as a wheel; programs in `bin` are made again where it is installed."""
    target = folder / f"{NAME}-{installed.version}-py3-none-any.whl"
    lines: list[str] = []
    record = ""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in installed.files or ():
            if ".." in file.parts or "__pycache__" in file.parts:
                continue
            if file.parts[0].endswith(".dist-info") and file.name == "RECORD":
                record = str(file)
            if file.parts[0].endswith(".dist-info") and file.name in LEFT_OUT:
                continue
            content = file.read_binary()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{file},sha256={digest},{len(content)}")
            archive.writestr(str(file), content)
        if not record or not lines:
            raise BadOption("Palio's installation has no list of its files; install it with pip or uv")
        archive.writestr(record, "\n".join((*lines, f"{record},,", "")))
    return target
