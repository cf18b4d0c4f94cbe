from pathlib import Path

import pytest

from tests.servers.errors import UnavailableError
from tests.servers.java import VECTOR_MODULE, find_jdk


def install(home: Path, version: str, modules: str = f"java.base {VECTOR_MODULE}") -> Path:
    (home / "bin").mkdir(parents=True)
    for tool in ("java", "javac"):
        (home / "bin" / tool).touch(mode=0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return home


def test_java_home_comes_before_what_is_installed(tmp_path: Path) -> None:
    mine = install(tmp_path / "mine", "25.0.3")
    install(tmp_path / "jvm" / "jdk-21", "21.0.1")
    assert find_jdk({"JAVA_HOME": str(mine)}, tmp_path / "jvm").home == mine


def test_the_oldest_sufficient_jdk_is_chosen(tmp_path: Path) -> None:
    for version in ("17.0.15", "26-ea", "25.0.3", "1.8.0_392"):
        install(tmp_path / f"jdk-{version}", version)
    jdk = find_jdk({"PATH": ""}, tmp_path)
    assert jdk.version == 25
    assert jdk.tool("javac") == str(tmp_path / "jdk-25.0.3" / "bin" / "javac")


def test_java_on_the_path_is_followed_to_its_home(tmp_path: Path) -> None:
    home = install(tmp_path / "somewhere", "21")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_jdk({"PATH": str(tmp_path / "bin")}, tmp_path / "none").home == home


def test_a_missing_java_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError) as caught:
        find_jdk({"PATH": ""}, tmp_path)
    assert str(caught.value) == f"no JDK 21 or newer in JAVA_HOME, {tmp_path} or on the PATH"


def test_a_jdk_that_is_too_old_or_incomplete_is_named(tmp_path: Path) -> None:
    old = install(tmp_path / "jdk-17", "17.0.15")
    cut = install(tmp_path / "jdk-25", "25", modules="java.base")
    with pytest.raises(UnavailableError, match=f"Java 17 in {old}, {cut}, which is not a full JDK"):
        find_jdk({"PATH": ""}, tmp_path)
