"""`python -m tests.idp PORT CALLBACK`: serve until killed. Dora and Emil work at the company."""

import os
import sys
import tempfile
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from jwcrypto import jwk

CLIENT_ID, CLIENT_SECRET, PASSWORD = "toolroster", "a secret of the company", "at the company"


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def main(port: int, callback: str) -> None:
    folder = tempfile.mkdtemp(prefix="toolroster-idp-")
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.idp.settings",
        "IDP_ISSUER": f"http://localhost:{port}",
        "IDP_DATABASE": f"{folder}/idp.sqlite3",
        "IDP_KEY": _new_key(),
        "OAUTHLIB_INSECURE_TRANSPORT": "1",
    }
    import django  # noqa: PLC0415 - the environment comes first

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    _people(callback)
    make_server("127.0.0.1", port, get_wsgi_application(), server_class=_Server).serve_forever()


def _new_key() -> str:
    key = jwk.JWK.generate(kty="RSA", size=2048)
    pem: bytes = key.export_to_pem(private_key=True, password=None)
    return pem.decode()


def _people(callback: str) -> None:
    from django.contrib.auth.models import Group, User  # noqa: PLC0415
    from oauth2_provider.models import Application  # noqa: PLC0415

    staff = Group.objects.create(name="platform-team")
    for name in ("dora", "emil"):
        person = User.objects.create_user(name, f"{name}@company.example", PASSWORD)
        if name == "dora":
            person.groups.add(staff)
    Application.objects.create(
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        client_type="confidential",
        authorization_grant_type="authorization-code",
        redirect_uris=callback,
        algorithm="RS256",
        skip_authorization=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
