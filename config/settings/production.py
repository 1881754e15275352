"""Production: deny by default, HTTPS, own PostgreSQL and Valkey or Redis."""

from django.core.exceptions import ImproperlyConfigured

from config.settings.base import *

_MISSING = [
    name
    for name, value in {
        "SECRET_KEY": ENV.secret_key,
        "ALLOWED_HOSTS": ENV.allowed_hosts,
        "DATABASE_URL": ENV.database_url,
        "REDIS_URL": ENV.redis_url,
        "PUBLIC_URL": ENV.public_url,
        "DISCOVERY_ANONYMOUS": ENV.discovery_anonymous,  # all or none: what strangers see is a choice
    }.items()
    if not value
]
if _MISSING:
    raise ImproperlyConfigured(f"Set these environment variables for production: {', '.join(_MISSING)}")

assert ENV.secret_key  # noqa: S101 - for the type checker: checked above
assert ENV.public_url  # noqa: S101 - likewise

DEBUG = False
SECRET_KEY = ENV.secret_key.get_secret_value()
if len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 5:
    raise ImproperlyConfigured("SECRET_KEY: expected at least 50 random characters in production.")
if not ENV.public_url.startswith("https://"):  # it is the issuer of tokens (RFC 8414 §2)
    raise ImproperlyConfigured("PUBLIC_URL: expected an https:// address in production.")
if OIDC_ISSUER and not OIDC_ISSUER.startswith("https://"):
    raise ImproperlyConfigured("OIDC_ISSUER: expected an https:// address in production.")
ALLOWED_HOSTS = ENV.allowed_hosts
CSRF_TRUSTED_ORIGINS = ENV.csrf_trusted_origins or [ENV.public_url]
DISCOVERY_ANONYMOUS = ENV.discovery_anonymous
NAMESPACE_CLAIMS_OPEN = bool(ENV.namespace_claims_open)
ANONYMOUS_SCOPES = ()
PRIVATE_ADDRESSES = ENV.private_addresses or "allowed"

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^health(/live)?$"]  # probes speak plain HTTP inside the cluster
SECURE_HSTS_SECONDS = 31_536_000
SILENCED_SYSTEM_CHECKS = [
    "oauth2_provider.W008",  # http only to the person's own machine: see oauth.models.Application
    "security.W005",  # names below ours are not ours: their HSTS is the proxy's business
    "security.W021",  # likewise the browsers' preload list
]
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
