"""Development and `make run`: the embedded parts, a page without HTTPS, writes without a token."""

import secrets

from config.settings.base import *

DEBUG = False
SECRET_KEY_FILE = HOME / "secret_key"
SECRET_KEY = (
    ENV.secret_key.get_secret_value()
    if ENV.secret_key
    else SECRET_KEY_FILE.read_text().strip()
    if SECRET_KEY_FILE.exists()
    else secrets.token_urlsafe(50)  # a command before the first `make run`, which writes the file
)
ALLOWED_HOSTS = ENV.allowed_hosts or ["localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = ENV.csrf_trusted_origins
DISCOVERY_ANONYMOUS = ENV.discovery_anonymous or "all"
NAMESPACE_CLAIMS_OPEN = ENV.namespace_claims_open is not False
# Who wants to see what production does to strangers sets `none`.
ANONYMOUS_SCOPES = ("tools:register", "tools:invoke", "tools:admin") if DISCOVERY_ANONYMOUS == "all" else ()
PRIVATE_ADDRESSES = ENV.private_addresses or "all"  # the demo's tools serve on this machine
STATIC_ROOT = None  # files come straight from the packages
WHITENOISE_USE_FINDERS = True
