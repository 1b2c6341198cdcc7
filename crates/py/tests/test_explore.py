"""Checks `Machine.explore`: the address that it prints, what is served there, and that the server ends with Python."""

import base64
import json
import subprocess
import sys
import urllib.error
import urllib.request
import zlib

import pytest

import narrows
from narrows import _explorer


@pytest.fixture(autouse=True)
def no_server_remains():
    yield
    while _explorer._running_servers:
        _explorer._running_servers.pop().stop()


def printed_address_and_items(machine, capsys, **options):
    """Returns the address and the items of the fragment that `explore` prints."""
    assert machine.explore(**options) is None
    address, fragment = capsys.readouterr().out.strip().split("#")
    return address, fragment.split("&")


def ask(address, question):
    folder, token = address.split("?token=")
    request = urllib.request.Request(f"{folder}ask", json.dumps(question).encode(), {"x-narrows-token": token})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def test_address_names_the_example_its_settings_and_the_curve(capsys):
    machine = narrows.Machine("memory-bus").set("ni", "ni2w").set("workload.ping-pong.payload", "128 B")
    address, items = printed_address_and_items(machine, capsys, vary=("workload.ping-pong.payload", "8 B..64 B*2"), metric="message.latency_one_way")
    assert items == [
        "memory-bus",
        "ni=ni2w",
        "workload.ping-pong.payload=128%20B",
        "~metric=message.latency_one_way",
        "~curve=workload.ping-pong.payload%3D8%20B..64%20B%2A2",
    ]
    assert ask(address, {"ask": "check", "name": "memory-bus", "sets": ["ni=ni2w"]})["ok"]
    # A second machine is shown by the same server.
    assert printed_address_and_items(narrows.Machine("ping-pong"), capsys)[0] == address


def test_text_is_in_the_address(capsys):
    text = narrows.Machine("memory-bus").text + "# mine\n"
    _, items = printed_address_and_items(narrows.Machine(text=text), capsys)
    packed = items[0].removeprefix("~text=")
    packed += "=" * (-len(packed) % 4)
    assert zlib.decompress(base64.urlsafe_b64decode(packed), -zlib.MAX_WBITS).decode() == text


def test_file_below_the_folder_is_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(narrows.Machine("memory-bus").text)
    address, items = printed_address_and_items(narrows.Machine("mine.toml"), capsys)
    assert items == ["mine.toml"]
    assert ask(address, {"ask": "check", "name": "mine.toml"})["ok"]


def test_page_may_be_framed_and_needs_its_token(capsys):
    address, _ = printed_address_and_items(narrows.Machine("memory-bus"), capsys)
    folder = address.split("?")[0]
    with urllib.request.urlopen(f"{folder}engine.js", timeout=60) as file:
        assert file.status == 200
        assert "frame-ancestors" not in file.headers["content-security-policy"]
    root = folder.rsplit("/", 2)[0]
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(f"{root}/engine.js", timeout=60)


def test_notebook_shows_a_frame():
    frame = _explorer._Frame("http://127.0.0.1:1/t/?token=t#a&b", 700)
    assert 'src="http://127.0.0.1:1/t/?token=t#a&amp;b"' in frame._repr_html_()
    assert 'height="700"' in frame._repr_html_()


def test_server_ends_with_the_interpreter():
    script = """
import os, narrows
from narrows import _explorer
narrows.Machine("memory-bus").explore()
print(_explorer._running_servers[0].process.pid, flush=True)
os._exit(0)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    address, _ = ended.stdout.splitlines()
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        for _ in range(100):
            urllib.request.urlopen(address.split("#")[0], timeout=60).close()
            subprocess.run([sys.executable, "-c", "import time; time.sleep(0.1)"], check=True)
