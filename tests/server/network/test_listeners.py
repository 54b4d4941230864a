"""Listening sockets: addresses, errors with a remedy, Unix sockets for the same user and for the server's lifetime."""

import re
import socket
import stat
import tempfile

import pytest

from palio_server.network.listeners import bind, bind_unix, listening, unix_url, url_of
from palio_server.settings import Settings


def test_a_taken_port_is_an_error_that_names_it_and_the_remedy():
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with pytest.raises(OSError, match=rf"cannot listen on 127\.0\.0\.1:{port} .*choose another"):
        bind("127.0.0.1", port)
    listener.close()


def test_an_address_is_shown_as_a_browser_takes_it():
    for host, shown in (("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:"), ("::1", "http://[::1]:")):
        try:
            listener = bind(host, 0)
        except OSError:
            assert host == "::1"  # a machine without IPv6
            continue
        assert url_of(listener) == f"{shown}{listener.getsockname()[1]}"
        listener.close()


def connects(path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def test_a_unix_socket_is_for_our_user_only(tmp_path):
    with bind_unix(str(tmp_path / "s")):
        assert connects(tmp_path / "s")
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600


def test_what_a_dead_server_has_left_behind_is_replaced(tmp_path):
    bind_unix(str(tmp_path / "s")).close()
    assert not connects(tmp_path / "s")
    with bind_unix(str(tmp_path / "s")):
        assert connects(tmp_path / "s")


def test_the_socket_of_a_living_server_is_left_alone(tmp_path):
    with bind_unix(str(tmp_path / "s")):
        with pytest.raises(OSError, match=r"cannot listen on /.*/s: another server does; choose another --socket"):
            bind_unix(str(tmp_path / "s"))
        assert connects(tmp_path / "s")


def test_a_file_is_never_replaced(tmp_path):
    (tmp_path / "s").write_text("mine")
    with pytest.raises(OSError, match=r"/s: it exists and is no socket; choose another --socket, or remove it"):
        bind_unix(str(tmp_path / "s"))
    assert (tmp_path / "s").read_text() == "mine"


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OSError, match=r"/no/s: its folder does not exist; choose another --socket"):
        bind_unix(str(tmp_path / "no" / "s"))


def test_a_path_that_no_socket_can_have_is_refused_with_its_length(tmp_path):
    with pytest.raises(OSError, match=r"it has 1\d\d bytes, 103 are possible; choose a shorter path"):
        bind_unix("/tmp/" + "x" * 120)


def test_a_relative_path_is_one_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with bind_unix("s"):
        assert connects(tmp_path / "s")
    assert unix_url("a b") == f"ws+unix://{tmp_path}/a%20b"


def test_a_socket_is_gone_at_the_end(tmp_path):
    with listening(Settings(port=0, socket=str(tmp_path / "s"))) as found:
        assert [each.family for each in found.sockets] == [socket.AF_INET, socket.AF_UNIX]
        assert connects(tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


def test_a_socket_that_has_become_another_servers_stays(tmp_path):
    with listening(Settings(port=0, socket=str(tmp_path / "s"))):
        (tmp_path / "s").unlink()
        other = bind_unix(str(tmp_path / "s"))
    with other:
        assert connects(tmp_path / "s")


def test_a_private_socket_lies_where_nobody_else_may_look_and_leaves_no_trace(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with listening(Settings(port=0), private=True) as found:
        (folder,) = tmp_path.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert found.unix is not None
        assert found.local_url == f"ws+unix://{folder}/bots"
    assert list(tmp_path.iterdir()) == []


def test_where_there_are_no_unix_sockets_bots_come_by_the_port(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delattr(socket, "AF_UNIX")
    with listening(Settings(port=0), private=True) as found:
        assert found.unix is None
        assert found.local_url == found.url == found.open_for("mine", "not confined")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", found.url)
    assert list(tmp_path.iterdir()) == []


def test_a_private_socket_lies_elsewhere_where_the_usual_path_is_too_long(tmp_path, monkeypatch):
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with listening(Settings(port=0), private=True) as found:
        assert found.local_url.startswith("ws+unix:///tmp/")
    assert list(folder.iterdir()) == []


def test_each_program_has_a_socket_of_its_own_and_all_of_them_are_gone_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with listening(Settings(port=0), private=True) as found:
        urls = [found.open_for("mine", "confined"), found.open_for("mine", "confined")]
        assert len({*urls, found.local_url}) == 3
        assert all(connects(url.removeprefix("ws+unix://")) for url in urls)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_neither_port_nor_socket_behind(tmp_path):
    (tmp_path / "s").mkdir()
    port = socket.create_server(("127.0.0.1", 0))
    number = port.getsockname()[1]
    port.close()
    with pytest.raises(OSError, match="no socket"), listening(Settings(port=number, socket=str(tmp_path / "s"))):
        pytest.fail("it listens")
    bind("127.0.0.1", number).close()
