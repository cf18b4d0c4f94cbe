"""Finds a JDK that the servers run on."""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.servers.errors import UnavailableError

MINIMUM = 21
JVM_FOLDER = Path("/usr/lib/jvm")

# Elasticsearch's launcher asks for this module; some cut-down JDKs lack it.
VECTOR_MODULE = "jdk.incubator.vector"

# For servers for a single test run: their start takes half the processor time, but they are slower once they are warm.
QUICK_START = "-XX:TieredStopAtLevel=1"


@dataclass(frozen=True)
class Jdk:
    """A Java development kit: its home folder and its feature release, such as 25."""

    home: Path
    version: int

    def tool(self, name: str) -> str:
        """Returns the path of one of its programs, such as `java` or `javac`."""
        return str(self.home / "bin" / name)


def find_jdk(environment: Mapping[str, str] = os.environ, jvm_folder: Path = JVM_FOLDER) -> Jdk:
    """Finds a full JDK that is new enough: JAVA_HOME, else the system's folder of JVMs, else `java` on the PATH.

    Args:
        environment: where JAVA_HOME and PATH are read.
        jvm_folder: the folder that holds one folder per installed JVM.

    Raises:
        UnavailableError: there is none; the reason names what was found instead.
    """
    rejected: list[str] = []
    for home in _candidates(environment, jvm_folder):
        release = _release(home)
        version = _feature_version(release)
        if version < MINIMUM:
            rejected.append(f"Java {version} in {home}")
        elif VECTOR_MODULE not in release.get("MODULES", "") or not (home / "bin" / "javac").exists():
            rejected.append(f"{home}, which is not a full JDK (javac, {VECTOR_MODULE})")
        else:
            return Jdk(home, version)
    found = f" (found {', '.join(dict.fromkeys(rejected))})" if rejected else ""
    raise UnavailableError(f"no JDK {MINIMUM} or newer in JAVA_HOME, {jvm_folder} or on the PATH{found}")


def _candidates(environment: Mapping[str, str], jvm_folder: Path) -> Iterator[Path]:
    if java_home := environment.get("JAVA_HOME"):
        yield Path(java_home)
    # The oldest sufficient version comes first: servers support a new Java release months after it is out.
    installed = (home for home in sorted(jvm_folder.glob("*")) if (home / "release").is_file())
    yield from sorted(installed, key=lambda home: _feature_version(_release(home)))
    if java := shutil.which("java", path=environment.get("PATH", os.defpath)):
        yield Path(java).resolve().parents[1]


def _release(home: Path) -> dict[str, str]:
    """Reads the file `release` of a JDK, because running `java` would take half a second for each."""
    try:
        lines = (home / "release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    return {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}


def _feature_version(release: Mapping[str, str]) -> int:
    """Returns 25 for "25.0.3" and "25-ea", 8 for "1.8.0" (as versions were written then), 0 if unknown."""
    first = release.get("JAVA_VERSION", "").removeprefix("1.").partition(".")[0].partition("-")[0]
    return int(first) if first.isdigit() else 0
