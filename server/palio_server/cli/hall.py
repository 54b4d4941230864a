"""The hall's screen from the command line: its address, and a browser that shows it where there is a display."""

import os
import sys
import webbrowser
from collections.abc import Mapping


def hall_address(url: str) -> str:
    """Return the address of the hall screen of a server at `url`."""
    return f"{url}/tv"


def has_display(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> bool:
    """Return True if a browser would have a window here; on a server over ssh, one would open in the terminal."""
    if platform in ("win32", "darwin"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def show_hall(url: str) -> str:
    """Open the hall's screen of the server at `url`, if there is a display; return a message."""
    address = hall_address(url)
    if has_display() and webbrowser.open(address):
        return f"the hall's screen is open in a browser, at {address}; f makes it full screen"
    return f"no browser can be opened here; open the hall's screen at {address}"
