"""A Prometheus of a test's own: on a free port, with its data in a temporary folder."""

import json
import os
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conftest import free_port, wait_until


class Prometheus:
    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"

    def ask(self, path: str, **parameters: str) -> Any:
        """Return the answer of its HTTP API; its own sentence is raised as ValueError if it does not understand."""
        try:
            with urllib.request.urlopen(f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}") as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise ValueError(error.read().decode()) from None

    def values(self, query: str) -> list[float]:
        """Return the result of an instant query: a number each series; values that are not numbers are left out."""
        numbers = [float(series["value"][1]) for series in self.ask("query", query=query)["result"]]
        return [number for number in numbers if number == number]  # noqa: PLR0124  # NaN: nothing was observed

    def ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._url}/-/ready"):
                return True
        except OSError:
            return False


@contextmanager
def scraping(binary: str, folder: Path, target: str, token: str, rules: Path) -> Iterator[Prometheus]:
    """One that scrapes `target` every second, as the bearer of `token`, and evaluates `rules`."""
    port = free_port()
    (folder / "token").write_text(token)
    config = folder / "prometheus.yml"
    config.write_text(
        json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(rules)],
            "scrape_configs": [{
                "job_name": "palio",
                "authorization": {"credentials_file": str(folder / "token")},
                "static_configs": [{"targets": [target]}],
            }],
        })
    )  # fmt: skip
    words = (f"--config.file={config}", f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}")
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen([binary, *words], stdout=log, stderr=log, env={**os.environ, "GOMAXPROCS": "1"})
    try:
        found = Prometheus(port)
        wait_until(lambda: found.ready() or process.poll() is not None, "Prometheus's start", 30)
        assert process.poll() is None, (folder / "prometheus.log").read_text()
        yield found
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
