"""Files in a form, `multipart/form-data` (RFC 7578), as browsers and `palio submit` send them.

Only what files need: the whole body is in memory, within the limit that the endpoint has set.
"""

import re
import secrets
from collections.abc import Iterable
from urllib.parse import unquote

from palio_server.courses.submitted_names import MOST_ENTRIES, Files, Refused

KIND = "multipart/form-data"
LONGEST_HEAD = 8192  # bytes of a part's head; to search a longer one could take long
_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,200})"|([^;\s"]{1,200}))', re.IGNORECASE)
_FILE = re.compile(rb'filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))', re.IGNORECASE)
_EXTENDED = re.compile(rb"filename\*=utf-8''([^;\s]+)", re.IGNORECASE)


def parse(body: bytes, content_type: str) -> Files:
    """Return the files of a form, with the names that the browser gave. Raises Refused."""
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise Refused("the form names no boundary; send files as multipart/form-data, or a zip as application/zip")
    boundary = b"--" + (found[1] or found[2]).encode("latin-1", "replace")
    parts = (b"\r\n" + body).split(b"\r\n" + boundary)
    if len(parts) < 2 or not parts[-1].startswith(b"--"):
        raise Refused("the form did not come whole; send it again")
    if len(parts) > MOST_ENTRIES + 2:
        raise Refused(f"the form has more than {MOST_ENTRIES} files; hand in only those that are asked for")
    return list(_files(parts[1:-1]))


def _files(parts: Iterable[bytes]) -> Iterable[tuple[str, bytes]]:
    for part in parts:
        head, blank, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        if not blank or len(head) > LONGEST_HEAD:
            raise Refused("a part of the form has no head, or a very long one; send files as multipart/form-data")
        if (name := _name(head)) is not None:
            yield name, data


def _name(head: bytes) -> str | None:
    """Return a file's name; None for a field that is no file."""
    if extended := _EXTENDED.search(head):
        return unquote(extended[1].decode("ascii", "replace"), errors="replace")
    found = _FILE.search(head)
    if found is None:
        return None
    name = (found[1] if found[1] is not None else found[2]).decode(errors="replace")
    return name.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n").replace('\\"', '"')


def encode(files: Files) -> tuple[bytes, str]:
    """Return the form of some files, and its media type."""
    boundary = secrets.token_hex(24)
    body = bytearray()
    for name, data in files:
        quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        disposition = f'Content-Disposition: form-data; name="files"; filename="{quoted}"'
        body += f"--{boundary}\r\n{disposition}\r\nContent-Type: application/octet-stream\r\n\r\n".encode()
        body += data + b"\r\n"
    return bytes(body) + f"--{boundary}--\r\n".encode(), f"{KIND}; boundary={boundary}"
