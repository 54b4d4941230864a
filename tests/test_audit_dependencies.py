"""Known vulnerabilities of dependencies: what is found fails, what is accepted passes for a while, silence is told."""

import importlib.util
import json
import threading
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("audit_dependencies", ROOT / "tools" / "audit_dependencies.py")
assert SPEC is not None
assert SPEC.loader is not None
tool = importlib.util.module_from_spec(SPEC)
__import__("sys").modules["audit_dependencies"] = tool  # its dataclasses look for it
SPEC.loader.exec_module(tool)

TODAY = date(2026, 6, 1)
ENTRY = '[[accepted]]\nid = "{}"\npackage = "jinja2"\nreason = "no templates of strangers"\nuntil = {}\n'
FOUND = {  # as pip-audit 2.10 writes it
    "dependencies": [
        {"name": "click", "version": "8.5.1", "vulns": []},
        {
            "name": "jinja2",
            "version": "2.4.1",
            "vulns": [
                {
                    "id": "PYSEC-2014-8",
                    "fix_versions": ["2.7.2"],
                    "aliases": ["CVE-2014-1402"],
                    "description": "a temporary file",
                }
            ],
        },
        {"name": "palio", "skip_reason": "Dependency not found on PyPI and could not be audited: palio (0.1.0)"},
    ],
    "fixes": [],
}
HEAD = "[[accepted]]\n"
NOBODY = {"dependencies": [{"name": "click", "skip_reason": "Dependency not found on PyPI"}], "fixes": []}


def judged(report, *entries):
    return tool.judged(report, tool.read_accepted("".join(entries)), TODAY)


def test_what_is_found_and_not_accepted_fails():
    verdict = judged(FOUND)
    assert [fault.partition(".")[0] for fault in verdict.faults] == ["jinja2 2"]
    assert verdict.faults[0].startswith("jinja2 2.4.1 has PYSEC-2014-8; mended in 2.7.2. Update it, or accept it in ")
    assert "nothing is known of 1: palio" in verdict.notes


@pytest.mark.parametrize("name", ["PYSEC-2014-8", "CVE-2014-1402"])
def test_what_is_accepted_passes_under_any_of_its_names(name):
    verdict = judged(FOUND, ENTRY.format(name, "2026-06-01"))
    assert verdict.faults == ()
    assert verdict.notes[0] == "2 dependencies were audited, 1 vulnerabilities are accepted"


def test_what_was_accepted_until_yesterday_fails():
    assert "was accepted until 2026-05-31" in judged(FOUND, ENTRY.format("PYSEC-2014-8", "2026-05-31")).faults[0]


def test_an_entry_of_which_nothing_is_found_fails():
    assert judged(FOUND, ENTRY.format("PYSEC-2014-8", "2027-01-01"), ENTRY.format("X-1", "2027-01-01")).faults == (
        "X-1 of jinja2 is accepted, and nothing of it is found; take it out",
    )


@pytest.mark.parametrize("report", [None, NOBODY])
def test_where_nobody_can_be_asked_it_is_said_and_passes(report):
    verdict = judged(report, ENTRY.format("PYSEC-2014-8", "2027-01-01"))
    assert verdict.faults == ()
    assert "nothing was audited" in verdict.notes[0]


@pytest.mark.parametrize(
    "entry",
    [
        'id = "X"',
        'id = "X"\npackage = "p"\nreason = ""\nuntil = 2027-01-01',
        'id = "X"\npackage = "p"\nreason = "r"\nuntil = "soon"',
    ],
)
def test_an_entry_that_says_too_little_is_refused(entry):
    with pytest.raises(ValueError, match="entry 1"):
        tool.read_accepted(f"[[accepted]]\n{entry.removeprefix(HEAD)}\n")


def test_the_file_of_this_repository_can_be_read():
    tool.read_accepted(tool.ACCEPTED.read_text())


class Service(BaseHTTPRequestHandler):
    """Knows of one vulnerability, as the service of osv.dev answers."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        package = asked["package"]["name"]
        affected = {
            "package": {"name": package, "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.7.2"}]}],
        }
        one = {"id": "PYSEC-2014-8", "aliases": [], "summary": "a file", "details": "a file", "affected": [affected]}
        body = json.dumps({"vulns": [one]} if package == "jinja2" else {}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.mark.slow
def test_pip_audit_itself_finds_it_and_is_silent_where_nobody_answers(tmp_path):
    (tmp_path / "constraints.txt").write_text("click==8.5.1\njinja2==2.4.1\n")
    (tmp_path / "accepted.toml").write_text("")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    osv = ("--vulnerability-service", "osv", "--osv-url")
    try:
        service = (*osv, f"http://127.0.0.1:{server.server_port}/v1/query")
        verdict = tool.audit(tmp_path / "constraints.txt", [service], tmp_path / "accepted.toml", TODAY)
        assert [fault[:30] for fault in verdict.faults] == ["jinja2 2.4.1 has PYSEC-2014-8;"]
    finally:
        server.shutdown()
        server.server_close()
    nobody = [(*osv, "http://127.0.0.1:9/v1/query")]
    verdict = tool.audit(tmp_path / "constraints.txt", nobody, tmp_path / "accepted.toml", TODAY)
    assert (verdict.faults, "nothing was audited" in verdict.notes[0]) == ((), True)
