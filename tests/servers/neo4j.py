"""Starts a real Neo4j community server, with Neo4j Browser, on loopback."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from cypher.browser_files import post_connect
from tests.servers import process
from tests.servers.artifacts import neo4j_jars
from tests.servers.java import QUICK_START, find_jdk
from tests.servers.process import ENVIRONMENT, Command, Server

NAME = "Neo4j"
USER = "neo4j"  # the community edition's first user, and the only one that can be named before the first start
START_SECONDS = 180.0

JAVA_FLAGS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
)

# docker/compose.yml sets these too. Without the first two, LOAD CSV reads local files and fetches addresses, even in a
# session that may only read; without the last, one query may take most of the server's memory.
GUARDS: Mapping[str, str] = {
    "dbms.security.allow_csv_import_from_file_urls": "false",
    "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
    "db.memory.transaction.max": "512m",
}

SETTINGS: Mapping[str, str] = {
    **GUARDS,
    "server.default_listen_address": "127.0.0.1",
    "server.directories.import": "import",
    "server.memory.pagecache.size": "128m",
    # Otherwise the transaction log is reserved in steps of 256 MB, and a stop takes ten seconds.
    "db.tx_log.preallocate": "false",
    "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
    # The server sends no reports and searches for no other servers.
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "server.bolt.telemetry.enabled": "false",
    "dbms.fleet_manager.enabled": "false",
    "server.fleet_discovery.enabled": "false",
}


def start(
    password: str = "",
    home: Path | None = None,
    heap: str = "1g",
    quick: bool = False,
    seconds: float = START_SECONDS,
) -> Server:
    """Starts a server on free ports and waits until it answers a query.

    Args:
        password: of the user `neo4j`; empty: no authentication.
        home: holds configuration, data and logs, and is kept; None: a temporary folder, removed with the server.
        heap: the most memory for the Java heap, as Java writes it.
        quick: start sooner but run slower, which suits a server for a single test run.
        seconds: how long to wait for the answer.

    Raises:
        UnavailableError: there is no JDK, or Neo4j cannot be fetched.
        StartError: it ended, or did not answer in time.
    """
    bolt, http, guide = process.free_ports(3)
    address = f"bolt://127.0.0.1:{bolt}"
    flags = [f"-Xmx{heap}", *([QUICK_START] if quick else [])]

    def prepare(folder: Path) -> Command:
        return _prepare(home or folder / "home", {"bolt": bolt, "http": http}, guide, password, flags)

    def probe(_: Path) -> str | None:
        return address if answers(address, password) else None

    server = process.start(NAME, prepare, probe, seconds)
    server.page, server.guide = browser_page(f"http://127.0.0.1:{http}", address, password), guide
    return server


def answers(address: str, password: str = "") -> bool:
    """Says whether a query is answered over Bolt. The port opens long before the database is ready."""
    # Imported here, because this takes two seconds and every pytest run imports this module.
    from neo4j import GraphDatabase
    from neo4j.exceptions import DriverError, Neo4jError

    auth = (USER, password) if password else None
    try:
        with (
            GraphDatabase.driver(address, auth=auth, connection_timeout=5, telemetry_disabled=True) as driver,
            driver.session(database="neo4j") as session,
        ):
            return session.run("RETURN 1 AS one").single(strict=True)["one"] == 1
    except (DriverError, Neo4jError, OSError):
        return False


def browser_page(http: str, bolt: str, password: str = "") -> str:
    """Returns the address at which Neo4j Browser opens on this server, connected if no password is needed."""
    if password:
        return f"{http}/browser/?dbms={bolt.replace('://', f'://{USER}@')}"
    return f"{http}/browser/?dbms={bolt}&preselectAuthMethod=NO_AUTH"


def admin_command(home: Path, *arguments: str) -> list[str]:
    """Returns the command line of neo4j-admin for the server with this home. The server must not be running.

    Example: `admin_command(home, "database", "import", "full", "neo4j", "--nodes=concepts.csv")`.

    Raises:
        UnavailableError: there is no JDK, or Neo4j cannot be fetched.
    """
    variables = [f"NEO4J_HOME={home}", f"NEO4J_CONF={home / 'conf'}"]
    return ["env", *variables, *_java("org.neo4j.cli.AdminTool"), *arguments]


def _java(main_class: str, *flags: str) -> list[str]:
    jdk = find_jdk()
    return [jdk.tool("java"), *flags, *JAVA_FLAGS, "-cp", str(neo4j_jars(jdk) / "*"), main_class]


def _prepare(home: Path, ports: Mapping[str, int], guide: int, password: str, flags: Sequence[str]) -> Command:
    """Writes the configuration of a server, and its password if it has none yet; says how to run it."""
    (home / "conf").mkdir(parents=True, exist_ok=True)
    (home / "import").mkdir(exist_ok=True)
    settings = SETTINGS | {"dbms.security.auth_enabled": "true" if password else "false"}
    settings["browser.post_connect_cmd"] = post_connect(guide)
    for connector, port in ports.items():
        settings[f"server.{connector}.listen_address"] = f"127.0.0.1:{port}"
        settings[f"server.{connector}.advertised_address"] = f"127.0.0.1:{port}"
    lines = "".join(f"{name}={value}\n" for name, value in settings.items())
    (home / "conf" / "neo4j.conf").write_text(lines, encoding="utf-8")
    if password and not (home / "data" / "dbms").exists():
        command = admin_command(home, "dbms", "set-initial-password", password)
        subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
    where = [f"--home-dir={home}", f"--config-dir={home / 'conf'}", "--console-mode"]
    arguments = _java("org.neo4j.server.Neo4jCommunity", *flags)
    return Command([*arguments, *where], ENVIRONMENT)
