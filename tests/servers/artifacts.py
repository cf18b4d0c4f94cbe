"""Fetches the servers with Maven, once. A second run finds them in the cache and needs no network."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from string import Template

from filelock import FileLock

from tests.servers.errors import UnavailableError
from tests.servers.java import MINIMUM, Jdk
from tests.servers.process import ENVIRONMENT

HERE = Path(__file__).parent
NEO4J_POM = HERE / "maven" / "neo4j.xml"
ELASTICSEARCH_POM = HERE / "maven" / "elasticsearch.xml"
PLUGIN = HERE / "plugin"

CACHE_VARIABLE = "TRUTHHYPO_TEST_CACHE"
STAMP = "complete"
FETCH_SECONDS = 900


def cache_folder() -> Path:
    """Returns the folder of all fetched servers: TRUTHHYPO_TEST_CACHE, else .cache/servers in the repository."""
    return Path(os.environ.get(CACHE_VARIABLE) or HERE.parents[1] / ".cache" / "servers")


def neo4j_jars(jdk: Jdk) -> Path:
    """Returns the folder with all jars of Neo4j, its admin tool and its Browser.

    Raises:
        UnavailableError: they are not in the cache, and Maven is missing or cannot fetch them.
    """
    return cached("neo4j", fingerprint(NEO4J_POM), lambda folder: _copy_dependencies(NEO4J_POM, folder, jdk))


def elasticsearch_distribution(jdk: Jdk) -> Path:
    """Returns an unpacked Elasticsearch that has the `english` analyzer. Copy the folder before use, because a node
    writes into it.

    Raises:
        UnavailableError: it is not in the cache, and Maven is missing or cannot fetch it.
    """
    key = fingerprint(ELASTICSEARCH_POM, *sorted(PLUGIN.iterdir()))
    return cached("elasticsearch", key, lambda folder: _unpack_elasticsearch(folder, jdk))


def fingerprint(*files: Path) -> str:
    """Returns a short digest of the files. The files contain the versions, so the digest changes with the versions."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def cached(name: str, key: str, build: Callable[[Path], None]) -> Path:
    """Returns the cache's folder for this name and key, building it first if it is not there.

    A killed build leaves no folder that looks finished: the folder has another name during the build, and gets its
    stamp and then its real name at the end. A lock prevents a second build at the same time, and ends with its process.

    Args:
        name: the name of the artifact, as a file name.
        key: names the version; each key has its own folder.
        build: fills the empty folder that it is given.
    """
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    finished = cache / f"{name}-{key}"
    partial = cache / f"{name}.partial"
    with FileLock(cache / f"{name}.lock"):
        if not (finished / STAMP).is_file():
            for remains in (partial, finished):
                shutil.rmtree(remains, ignore_errors=True)
            partial.mkdir()
            build(partial)
            (partial / STAMP).write_text(f"{key}\n", encoding="utf-8")
            partial.rename(finished)
    return finished


def _copy_dependencies(pom: Path, folder: Path, jdk: Jdk) -> None:
    """Has Maven put all dependencies of the pom into the folder.

    Raises:
        UnavailableError: Maven is missing, fails or hangs.
    """
    if not (mvn := shutil.which("mvn")):
        raise UnavailableError("Maven (mvn) is not on the PATH")
    command = [mvn, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
    environment = ENVIRONMENT | {"JAVA_HOME": str(jdk.home)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=FETCH_SECONDS)
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"Maven did not fetch {pom.stem} within {FETCH_SECONDS} s") from None
    if done.returncode != 0:
        errors = [line for line in done.stdout.splitlines() if line.startswith("[ERROR]")]
        raise UnavailableError(f"Maven could not fetch {pom.stem}: {errors[0] if errors else done.stderr.strip()}")


def _unpack_elasticsearch(folder: Path, jdk: Jdk) -> None:
    _copy_dependencies(ELASTICSEARCH_POM, folder, jdk)
    (archive,) = folder.glob("elasticsearch-*.zip")
    shutil.unpack_archive(archive, folder)
    archive.unlink()
    # The top folder of the archive names the version. Move its content directly into our folder.
    (top,) = folder.glob("elasticsearch-*")
    for entry in top.iterdir():
        entry.rename(folder / entry.name)
    top.rmdir()
    for program in (folder / "bin").iterdir():
        program.chmod(0o755)
    _install_plugin(folder, top.name.removeprefix("elasticsearch-"), jdk)


def _install_plugin(distribution: Path, version: str, jdk: Jdk) -> None:
    """Compiles the analysis plugin against the libraries of the distribution, and installs it there."""
    target = distribution / "plugins" / "english-analyzer"
    classes = target / "classes"
    source = PLUGIN / "EnglishAnalyzerFactory.java"
    libraries = str(distribution / "lib" / "*")
    compiler = [jdk.tool("javac"), "--release", str(MINIMUM), "-cp", libraries, "-d", str(classes), str(source)]
    subprocess.run(compiler, env=ENVIRONMENT, check=True)
    archiver = [jdk.tool("jar"), "--create", "--file", str(target / "english-analyzer.jar"), "-C", str(classes), "."]
    subprocess.run(archiver, env=ENVIRONMENT, check=True)
    shutil.rmtree(classes)
    shutil.copy(PLUGIN / "named_components.json", target)
    descriptor = "stable-plugin-descriptor.properties"
    text = Template((PLUGIN / descriptor).read_text(encoding="utf-8")).substitute(version=version)
    (target / descriptor).write_text(text, encoding="utf-8")
