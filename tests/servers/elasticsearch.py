"""Starts a real Elasticsearch node on loopback."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.servers import process
from tests.servers.artifacts import elasticsearch_distribution
from tests.servers.java import QUICK_START, find_jdk
from tests.servers.process import ENVIRONMENT, Command, Server

NAME = "Elasticsearch"
USER = "elastic"  # the built-in superuser
START_SECONDS = 240.0

# Elasticsearch refuses to run as root; this user exists everywhere and owns nothing.
UNPRIVILEGED = "nobody"

SETTINGS: Mapping[str, str] = {
    "cluster.name": "truthhypo-test",
    "discovery.type": "single-node",
    "network.host": "127.0.0.1",
    "transport.port": "0",
    "path.data": "data",
    "path.logs": "logs",
    # Otherwise indices become read-only on a machine with a disk that is 90 % full.
    "cluster.routing.allocation.disk.threshold_enabled": "false",
}
OPEN: Mapping[str, str] = {"xpack.security.enabled": "false"}
GUARDED: Mapping[str, str] = {
    "xpack.security.enabled": "true",
    "xpack.security.enrollment.enabled": "false",
    "xpack.security.autoconfiguration.enabled": "false",
    "xpack.security.http.ssl.enabled": "false",
}


def start(password: str = "", heap: str = "1g", quick: bool = False, seconds: float = START_SECONDS) -> Server:
    """Starts a single node on a free port and waits until its cluster is healthy.

    The port is chosen here and written into the node's configuration. So a node that was killed has its old address
    when it is started again from the same folder. The node has the `english` analyzer, and lacks by-query updates,
    reindexing, painless and `GET /`.

    Args:
        password: of the user `elastic`; empty: no authentication.
        heap: the size of the Java heap, as Java writes it.
        quick: start sooner but run slower, which suits a server for a single test run.
        seconds: how long to wait for the answer.

    Raises:
        UnavailableError: there is no JDK, or Elasticsearch cannot be fetched.
        StartError: it ended, or did not answer in time.
    """

    (port,) = process.free_ports(1)
    address = f"http://127.0.0.1:{port}"

    def probe(_: Path) -> str | None:
        return address if answers(address, password) else None

    flags = [f"-Xms{heap}", f"-Xmx{heap}", *([QUICK_START] if quick else [])]
    return process.start(NAME, lambda folder: prepare(folder, port, password, flags), probe, seconds)


def answers(address: str, password: str = "") -> bool:
    """Says whether the cluster is healthy. (`ping` asks for `GET /`, which this node lacks.)"""
    # Imported here, because this takes a second and every pytest run imports this module.
    from elasticsearch import ApiError, Elasticsearch, TransportError

    auth = (USER, password) if password else None
    try:
        with Elasticsearch(address, basic_auth=auth, request_timeout=5, max_retries=0) as client:
            return client.cluster.health()["status"] in {"yellow", "green"}
    except (ApiError, TransportError):
        return False


def prepare(folder: Path, port: int, password: str, flags: Sequence[str]) -> Command:
    """Copies the distribution, configures the copy and says how to run it.

    The distribution is copied (110 MB, a quarter of a second), because a node writes beside its programs, and because
    its user may not be able to read the cache folder.
    """
    jdk = find_jdk()
    home = folder / "home"
    shutil.copytree(elasticsearch_distribution(jdk), home)
    settings = {**SETTINGS, **(GUARDED if password else OPEN), "http.port": str(port)}
    paths = {name: str(home / value) for name, value in settings.items() if name.startswith("path.")}
    lines = "".join(f"{name}: {value}\n" for name, value in (settings | paths).items())
    (home / "config" / "elasticsearch.yml").write_text(lines, encoding="utf-8")
    environment = ENVIRONMENT | {
        "ES_JAVA_HOME": str(jdk.home),
        "ES_JAVA_OPTS": " ".join(flags),
        "ES_PATH_CONF": str(home / "config"),
        "ES_TMPDIR": str(folder / "tmp"),
    }
    (folder / "tmp").mkdir()
    if password:
        _set_password(home, environment, password)
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    if user:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, user)
    return Command([str(home / "bin" / "elasticsearch")], environment, user)


def _set_password(home: Path, environment: Mapping[str, str], password: str) -> None:
    keystore = str(home / "bin" / "elasticsearch-keystore")
    subprocess.run([keystore, "create"], env=environment, check=True, capture_output=True)
    add = [keystore, "add", "-x", "-f", "bootstrap.password"]
    subprocess.run(add, env=environment, check=True, capture_output=True, input=password.encode())
