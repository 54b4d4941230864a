"""A check of dependencies for known vulnerabilities: `pip-audit` on `constraints.txt`, and accepted findings.

What is found and not accepted in `.ci/accepted-vulnerabilities.toml` is an error (exit 1), and so is an entry there
that is over, or of which nothing is found. If no service can be asked, which we cannot repair, one line says so
(exit 0): pip-audit by itself calls it "no known vulnerabilities" when its service knows none of the packages.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ACCEPTED = ROOT / ".ci" / "accepted-vulnerabilities.toml"
SERVICES = ("pypi", "osv")  # the second one is asked where the first cannot answer
TIMEOUT_S = 300.0
KEYS = {"id", "package", "reason", "until"}


@dataclass(frozen=True, slots=True)
class Accepted:
    """A vulnerability that may pass for a while."""

    id: str
    package: str
    reason: str
    until: date


@dataclass(frozen=True, slots=True)
class Verdict:
    """Sentences for people; `faults` are those that fail the check."""

    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_accepted(text: str) -> list[Accepted]:
    """The entries of the file. Raises ValueError, which names the entry and what is wrong with it."""
    entries = tomllib.loads(text).get("accepted", [])
    found = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or entry.keys() != KEYS:
            raise ValueError(f"entry {number} of accepted vulnerabilities has {', '.join(sorted(KEYS))}, got {entry}")
        if type(entry["until"]) is not date or not str(entry["reason"]).strip():
            raise ValueError(f"entry {number} ({entry['id']}) needs a reason, and a day in `until`, as 2026-12-31")
        found.append(Accepted(**entry))
    return found


def judged(report: Mapping[str, Any] | None, accepted: Sequence[Accepted], today: date) -> Verdict:
    """Return the verdict on `report`, pip-audit's JSON; None: no service could be asked."""
    faults = [
        f"{one.id} of {one.package} was accepted until {one.until}; mend it, or say anew why not"
        for one in accepted
        if one.until < today
    ]
    packages = [] if report is None else report["dependencies"]
    audited = [package for package in packages if "skip_reason" not in package]
    if not audited:
        return Verdict(tuple(faults), ("no service that knows of vulnerabilities can be reached: nothing was audited",))
    may_pass = {(one.package, one.id) for one in accepted}
    seen = set()
    for package in audited:
        for vulnerability in package["vulns"]:
            names = {vulnerability["id"], *vulnerability.get("aliases", ())}
            known = {(package["name"], name) for name in names} & may_pass
            seen |= known
            if not known:
                fixed = ", ".join(vulnerability.get("fix_versions") or ()) or "no version yet"
                what = f"{package['name']} {package['version']} has {vulnerability['id']}"
                faults.append(f"{what}; mended in {fixed}. Update it, or accept it in {ACCEPTED.name} with a reason")
    faults += [
        f"{one.id} of {one.package} is accepted, and nothing of it is found; take it out"
        for one in accepted
        if (one.package, one.id) not in seen
    ]
    notes = [f"{len(audited)} dependencies were audited, {len(seen)} vulnerabilities are accepted"]
    if skipped := [package["name"] for package in packages if "skip_reason" in package]:
        notes.append(f"nothing is known of {len(skipped)}: {', '.join(skipped)}")
    return Verdict(tuple(faults), tuple(notes))


def asked(requirements: Path, service: Sequence[str]) -> dict[str, Any] | None:
    """pip-audit's report; None if its service does not answer."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(requirements), "--no-deps", "--disable-pip"]
    command += ["--progress-spinner", "off", "--format", "json", *service]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return None
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return None  # it prints nothing, and a traceback beside
    return report


def audit(requirements: Path, services: Sequence[Sequence[str]], accepted: Path, today: date) -> Verdict:
    """Ask one service after the other until one knows some of the packages. Raises ValueError for a bad file."""
    entries = read_accepted(accepted.read_text())
    report = None
    for service in services:
        report = asked(requirements, service)
        if report is not None and any("skip_reason" not in package for package in report["dependencies"]):
            break
    return judged(report, entries, today)


def main() -> int:
    """The exit code; sentences go to stdout."""
    services = [("--vulnerability-service", name) for name in SERVICES]
    try:
        verdict = audit(ROOT / "constraints.txt", services, ACCEPTED, date.today())  # noqa: DTZ011  # a day is enough
    except ValueError as error:
        verdict = Verdict((str(error),))
    for sentence in (*verdict.notes, *verdict.faults):
        print(sentence)
    return 1 if verdict.faults else 0


if __name__ == "__main__":
    sys.exit(main())
