"""nginx with the configuration of deploy/, in front of two servers on loopback."""

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from compose_file import ROOT
from conftest import accepts, free_port, wait_until

CONFIG = ROOT / "deploy" / "nginx" / "nginx.conf"


@contextmanager
def proxy_before(nginx: str, servers: Sequence[str], folder: Path) -> Iterator[str]:
    """Run nginx before two servers, each given as HOST:PORT; yield its own HOST:PORT."""
    port, config = free_port(), folder / "nginx.conf"
    text = CONFIG.read_text().replace("/tmp/nginx", f"{folder}/nginx")
    text = text.replace("listen 8000", f"listen 127.0.0.1:{port}").replace(
        "worker_processes auto", "worker_processes 1"
    )
    for name, address in zip(("gateway-1:8000", "gateway-2:8000"), servers, strict=True):
        text = text.replace(name, address)
    text = text.replace("http {", f"http {{ {temporary(folder)}")
    config.write_text(text)
    log = (folder / "nginx.log").open("wb")
    process = subprocess.Popen([nginx, "-c", str(config), "-p", str(folder), "-g", "daemon off;"], stderr=log)
    try:
        wait_until(lambda: accepts(port) or process.poll() is not None, "nginx's start")
        assert process.poll() is None, (folder / "nginx.log").read_text()
        yield f"127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)
        log.close()


def temporary(folder: Path) -> str:
    """Return settings for nginx's temporary files, which must not be in the system's folders here."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
