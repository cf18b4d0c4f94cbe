import pytest

import literature
from groundwork.errors import InputError


@pytest.mark.parametrize(
    "address", ["", "memory", "memory:x", "embedded:", "ftp://host", "neo4j://host:7687", "/tmp/x"]
)
def test_an_address_of_no_store_is_refused_naming_those_there_are(settings, address):
    with pytest.raises(InputError, match="embedded:PATH"):
        literature.connect(address, settings)


@pytest.mark.parametrize(
    "address", ["memory:", "embedded:/nowhere/at/all", "http://127.0.0.1:9", "https://host.invalid:9200"]
)
def test_connecting_touches_nothing(settings, address):
    store = literature.connect(address, settings)
    assert store.address == address
    store.close()
