"""`manage.py serve`: the whole product as one process tree on one data folder.

Runs without Django, so that the process that only watches stays small.
"""

import argparse
import http.client
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from memory_app.config.embedded import greeting, leftovers
from memory_app.config.embedded.migrations import fingerprint
from memory_app.config.embedded.paths import DataFolder, EmbeddedError, exclusive, write_private
from memory_app.config.embedded.processes import Child
from memory_app.config.embedded.services import (
    PROJECT,
    Servers,
    describe,
    first_owner,
    note,
    set_up,
    sockets_of,
    start_database,
)
from memory_app.config.embedded.system_user import servers_user

READY_WITHIN = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    folder: DataFolder
    host: str
    port: int

    @property
    def own_host(self) -> str:
        """An address of this machine that reaches the listener."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104

    @property
    def url(self) -> str:
        host = f"[{self.own_host}]" if ":" in self.own_host else self.own_host
        return f"http://{host}:{self.port}"

    @property
    def public_url(self) -> str:
        """The address that links are made with."""
        return os.environ.get("PUBLIC_URL") or self.url


class _Stopped(BaseException):
    """Somebody asked us to end; not an Exception, so nothing on the way takes it for a failure."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8000, help="port (default: %(default)s)")
    parser.add_argument("--data-dir", type=Path, help="where everything is kept (default: ./data)")


def parse(arguments: Sequence[str]) -> ServeOptions:
    parser = argparse.ArgumentParser(
        prog=os.environ.get("COMMONPLACE_CALLED") or "manage.py serve",
        description="Run Commonplace with its own database and broker.",
    )
    add_arguments(parser)
    chosen = parser.parse_args(arguments)
    if not 0 < chosen.port < 65536:
        parser.error("--port must be between 1 and 65535")
    root = chosen.data_dir or default_data_folder()
    folder = DataFolder(root=root.expanduser().absolute())
    return ServeOptions(folder=folder, host=chosen.host, port=chosen.port)


def default_data_folder() -> Path:
    return Path(os.environ.get("COMMONPLACE_DATA_DIR") or PROJECT / "data")


def serve(arguments: Sequence[str]) -> int:
    """Run until told to stop. Raises `EmbeddedError` with the sentence to show."""
    options = parse(arguments)
    with listen(options) as listener:
        options.folder.prepare()
        with exclusive(options.folder):
            return _run(options, listener)


def listen(options: ServeOptions) -> socket.socket:
    """Take the port before anything starts. We keep it open while the web process restarts."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise EmbeddedError(
            f"Cannot listen on {options.host} port {options.port}: {error.strerror}. "
            "Choose another port with --port or another address with --host."
        ) from error
    return listener


def _run(options: ServeOptions, listener: socket.socket) -> int:
    children: list[Child] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        leftovers.end(options.folder)
        with sockets_of(options.folder, url=options.public_url) as sockets:
            servers = describe(options.folder, sockets, servers_user())
            try:
                _start(options, listener, servers, children)
                _watch(children)
            finally:
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                for child in reversed(children):
                    child.stop()
    except _Stopped:
        sys.stdout.write("Stopped.\n")
    return 0


def _start(
    options: ServeOptions, listener: socket.socket, servers: Servers, children: list[Child]
) -> None:
    _say("database")
    start_database(servers, children)
    valkey = servers.valkey.child()
    children.append(valkey)
    valkey.start()
    servers.valkey.wait_until_ready(valkey)
    environment = os.environ | servers.environment(with_broker=True) | _web_settings(options)
    _say("tables")
    welcome = _set_up(options, environment)
    _say(
        "model and web"
        if _has_model(options.folder)
        else "model (prepared once, up to a minute) and web"
    )
    worker = _worker(servers, environment)
    children.append(worker)
    worker.start()
    web = _web(servers, environment, listener)
    children.append(web)
    web.start()
    note(options.folder, ready=True, broker=True, children=[child.pid for child in children[1:]])
    _wait_until_ready(options, (worker, web))
    write_private(options.folder.address, options.public_url)
    owner = first_owner(servers)
    sys.stdout.write(greeting.text(options.url, options.folder.root, owner, welcome))
    sys.stdout.flush()


def _say(part: str) -> None:
    """A start takes seconds, the first one many more: what it is at, for whoever waits."""
    sys.stderr.write(f"Starting: {part}...\n")
    sys.stderr.flush()


def _has_model(folder: DataFolder) -> bool:
    return any(folder.models.glob("*.onnx"))


def _web_settings(options: ServeOptions) -> dict[str, str]:
    names = {"localhost", "127.0.0.1", "[::1]", options.own_host}
    if options.host in ("0.0.0.0", "::"):  # noqa: S104
        own = socket.gethostname()
        names |= {own, socket.getfqdn()}
        names |= _addresses_of(own)
    return {
        "ALLOWED_HOSTS": os.environ.get("ALLOWED_HOSTS") or ",".join(sorted(names)),
        "PUBLIC_URL": options.public_url,
        "MALLOC_ARENA_MAX": "2",
        "PYTHONUNBUFFERED": "1",
    }


def _addresses_of(name: str) -> set[str]:
    try:
        return {str(found[4][0]) for found in socket.getaddrinfo(name, None)}
    except OSError:
        return set()


def _set_up(options: ServeOptions, environment: Mapping[str, str]) -> Mapping[str, str] | None:
    """Migrate, and at first start make the first organization. Skipped when nothing has changed."""
    folder, wanted = options.folder, fingerprint()
    if folder.welcomed.exists() and folder.migrated_to() == wanted:
        return None
    made = set_up(environment, "--first")
    write_private(folder.migrated, wanted)
    write_private(folder.welcomed, "")
    return made or None


def _worker(servers: Servers, environment: Mapping[str, str]) -> Child:
    return Child(
        name="worker",
        command=[
            # What nobody waits for yields to what somebody does.
            *("nice", "-n", "10"),
            *(sys.executable, "-m", "celery", "-A", "memory_app.config.celery"),
            *("--quiet", "worker"),
            *("--pool", "threads", "--concurrency", "4", "--loglevel", "WARNING"),
            *("--without-mingle", "--without-gossip"),
        ],
        environment={**environment, "COMMONPLACE_BEAT": str(servers.folder.root / "beat")},
        log=servers.folder.logs / "worker.log",
        working_folder=PROJECT,
    )


def _web(servers: Servers, environment: Mapping[str, str], listener: socket.socket) -> Child:
    return Child(
        name="web",
        command=[sys.executable, "-m", "memory_app.config.embedded.web", str(listener.fileno())],
        environment=environment,
        log=servers.folder.logs / "web.log",
        pass_fds=(listener.fileno(),),
        working_folder=PROJECT,
    )


def _wait_until_ready(options: ServeOptions, children: Sequence[Child]) -> None:
    deadline = time.monotonic() + READY_WITHIN
    answer = ""
    while time.monotonic() < deadline:
        for child in children:
            if child.has_ended():
                raise EmbeddedError(
                    f"The {child.name} process ended at start:\n{child.last_words(20)}"
                )
        ready, answer = _ask_readyz(options)
        if ready:
            return
        time.sleep(0.1)
    raise EmbeddedError(f"Not ready after {READY_WITHIN:.0f} s: {answer}")


def _ask_readyz(options: ServeOptions) -> tuple[bool, str]:
    connection = http.client.HTTPConnection(options.own_host, options.port, timeout=30)
    try:
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        return response.status == 200, response.read(2000).decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return False, str(error)
    finally:
        connection.close()


def _watch(children: Sequence[Child]) -> None:
    """Start again what dies, later each time that it dies soon."""
    waiting: set[str] = set()
    while True:
        for child in children:
            if not child.has_ended():
                continue
            if child.name not in waiting:
                pause = child.note_failure()
                waiting.add(child.name)
                sys.stderr.write(f"{child.name} ended; starting it again in {pause:.1f} s\n")
                sys.stderr.flush()
            elif time.monotonic() >= child.retry_at:
                waiting.discard(child.name)
                child.start()
        time.sleep(0.2)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise _Stopped
