"""An authority of a test, and a certificate that it has signed."""

import datetime as dt
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from palio_clients.addons.llm import http

PEM = serialization.Encoding.PEM


def server_context(folder: Path, *names: str) -> tuple[ssl.SSLContext, Path]:
    """What a server for these hosts needs, and the file of the authority that its clients have to trust."""
    now = dt.datetime.now(dt.UTC)
    root, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    lab = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "lab")])

    def certificate(public, *, authority: bool) -> bytes:
        subject = lab if authority else x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        hosts = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        built = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(lab)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(hours=1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(hosts, critical=False)
        )
        return built.sign(root, hashes.SHA256()).public_bytes(PEM)

    ca, chain = folder / "ca.pem", folder / "server.pem"
    ca.write_bytes(certificate(root.public_key(), authority=True))
    plain = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    chain.write_bytes(certificate(key.public_key(), authority=False) + plain)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    return context, ca


@contextmanager
def trusted(monkeypatch, authority: Path) -> Iterator[None]:
    """Whoever this authority has signed is trusted, as with SSL_CERT_FILE in a process of its own."""
    with monkeypatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(authority))
        http._trusted.cache_clear()
        yield
    http._trusted.cache_clear()
