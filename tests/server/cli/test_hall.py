"""`palio serve --tv`: a browser where there is a display, else only the address."""

import pytest

from palio_server.cli import hall

URL = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("platform", "environment", "shown"),
    [
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {}, False),
        ("darwin", {}, True),
        ("win32", {}, True),
    ],
)
def test_a_display_is_a_window_system(platform, environment, shown):
    assert hall.has_display(platform, environment) is shown


@pytest.mark.parametrize(("display", "opens"), [(True, True), (True, False), (False, True)])
def test_the_address_is_said_whether_or_not_a_browser_opens(monkeypatch, display, opens):
    opened = []
    monkeypatch.setattr(hall, "has_display", lambda: display)
    monkeypatch.setattr(hall.webbrowser, "open", lambda address: opened.append(address) or opens)
    said = hall.show_hall(URL)
    assert f"{URL}/tv" in said
    assert opened == ([f"{URL}/tv"] if display else [])
    assert ("is open in a browser" in said) == (display and opens)
