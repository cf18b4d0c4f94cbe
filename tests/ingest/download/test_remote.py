"""TLS: certificates are verified, and redirects from https to http are refused."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from groundwork.errors import SourceUnreachable
from ingest.download.remote import Remote
from tests.ingest.download.source import Fault, serving


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of 127.0.0.1 signed by itself, with its key, as files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    (folder / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder


@pytest.fixture
def source(certificate, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate / "certificate.pem", certificate / "key.pem")
    with serving(tls) as source:
        source.files["f"] = b"content"
        yield source


def test_an_untrusted_certificate_is_refused_without_a_retry(source, settings):
    waits = []
    with pytest.raises(SourceUnreachable, match="certificate"), Remote(settings, sleep=waits.append) as remote:
        remote.read(source.url + "f", 100)
    assert waits == []
    assert source.asked == []


def test_a_redirect_from_a_trusted_server_to_http_is_refused(source, settings, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "certificate.pem"))
    with Remote(settings) as remote:
        assert remote.read(source.url + "f", 100) == (source.url + "f", b"content")
        source.faults = [Fault(status=302, headers={"Location": source.url.replace("https:", "http:") + "f"})]
        with pytest.raises(SourceUnreachable, match="from https to http"):
            remote.read(source.url + "f", 100)


@pytest.mark.parametrize("host", ["a" * 70, "a..b", "..."])
def test_an_impossible_host_name_is_reported_as_unreachable(settings, host):
    with pytest.raises(SourceUnreachable), Remote(settings, sleep=lambda _: None) as remote:
        remote.read(f"http://{host}/", 100)
