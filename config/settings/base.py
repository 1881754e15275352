"""What holds everywhere. Every environment variable comes through `config.env`."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from config import env
from config.embedded import addresses
from config.logs import logging_settings
from oauth.lifetimes import access_token_seconds

ENV = env.load()
HOME = ENV.toolroster_home

DATABASE_URL = ENV.database_url or addresses.database_url(HOME)
REDIS_URL = ENV.redis_url or addresses.redis_url(HOME)
USES_EMBEDDED_DATABASE = ENV.database_url is None
USES_EMBEDDED_CACHE = ENV.redis_url is None

PORT = ENV.port
PUBLIC_URL = (ENV.public_url or f"http://localhost:{PORT}").rstrip("/")
HEARTBEAT_SECONDS = ENV.heartbeat_seconds
SUSPECT_SECONDS = ENV.suspect_seconds
LEASE_SECONDS = ENV.lease_seconds
SWEEP_SECONDS = ENV.sweep_seconds
PRESERVATION_SHARE = ENV.preservation_share
PRESERVATION_PROVIDERS = ENV.preservation_providers
LIST_COHERENCE = ENV.list_coherence
LISTS_ARE_KEPT = True
COMPATIBILITY_POLICY = ENV.compatibility_policy
COMPATIBILITY_SWITCHES = ENV.compatibility_switches
REVIEW_REQUIRED = ENV.review_required
EMBEDDING_BACKEND = ENV.embedding_backend
EMBEDDING_MODEL = ENV.embedding_model
EMBEDDING_ENGLISH_MODEL = ENV.embedding_english_model
EMBEDDING_BASE_URL = ENV.embedding_base_url
EMBEDDING_QUERY_PREFIX = ENV.embedding_query_prefix
EMBEDDING_DOCUMENT_PREFIX = ENV.embedding_document_prefix
EMBEDDING_API_KEY = ENV.embedding_api_key.get_secret_value() if ENV.embedding_api_key else ""
LLM_BASE_URL = ENV.llm_base_url
LLM_MODEL = ENV.llm_model
LLM_API_KEY = ENV.llm_api_key.get_secret_value() if ENV.llm_api_key else ""
RECORD_ARGUMENTS = ENV.record_arguments
CALL_RETENTION_DAYS = ENV.call_retention_days
APPROVAL_SECONDS = ENV.approval_seconds
BREAKER: dict[str, Any] = {
    "failure_rate": ENV.breaker_failure_rate,
    "slow_rate": ENV.breaker_slow_rate,
    "least_calls": ENV.breaker_least_calls,
    "window_seconds": ENV.breaker_window_seconds,
    "open_seconds": ENV.breaker_open_seconds,
}
MAX_BODY_BYTES = ENV.max_body_bytes
WEB_THREADS = ENV.web_threads

INSTALLED_APPS = [
    "config.apps.PlatformConfig",
    "consumers",
    "registry",
    "oauth",
    "oauth2_provider",
    "corsheaders",
    "rest_framework",
    "drf_spectacular",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "config.requests.RequestIdMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # In a checkout, and in an installed wheel.
        "DIRS": [env.CHECKOUT / "templates", env.CHECKOUT / "config" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {
                "governance": "registry.admin.dashboard",
                "calls": "consumers.admin.dashboard",
            },
        },
    }
]

DATABASES = {"default": env.database(DATABASE_URL)}
PREPARED_STATEMENTS = ENV.prepared_statements
DATABASES["default"] |= {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    },
}

_RFC9700_GATES = (
    "IMPLICIT_GRANT",
    "PASSWORD_GRANT",
    "PKCE_METHOD",
    "PKCE_REQUIRED",
    "ACCESS_TOKEN_TRANSPORT",
    "AUTHZ_RESPONSE_ISS",
    "TOKEN_STORAGE",
    "REFRESH_TOKEN",
)
AUTH_USER_MODEL = "oauth.User"
OAUTH2_PROVIDER_APPLICATION_MODEL = "oauth.Application"
OAUTH2_PROVIDER = {
    "OAUTH2_VALIDATOR_CLASS": "oauth.validators.PlatformValidator",
    "SCOPES_BACKEND_CLASS": "oauth.scopes.CatalogueScopes",
    "OIDC_ISS_ENDPOINT": PUBLIC_URL,  # the issuer of RFC 8414, whatever host a request came by
    "OAUTH2_PROTECTED_RESOURCE_IDENTIFIER": PUBLIC_URL,
    "OAUTH2_PROTECTED_RESOURCE_AUTHORIZATION_SERVERS": [PUBLIC_URL],
    "OAUTH2_PROTECTED_RESOURCE_NAME": "Toolroster",
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "client_credentials", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["client_secret_basic", "client_secret_post", "none"],
    "EXTRA_SERVER_KWARGS": {"token_expires_in": access_token_seconds},
    "REFRESH_TOKEN_EXPIRE_SECONDS": 14 * 86_400,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "PKCE_REQUIRED": True,
    "ALLOW_LOCALHOST_LOOPBACK": True,  # desktop clients listen on a port of the moment (RFC 8252 §7.3)
    **{f"COMPLIANT_BCP_RFC9700_{gate}": True for gate in _RFC9700_GATES},
}
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Clients in browsers get, end and learn of tokens from any origin: no cookie counts there. Never the API:
# in development any page that a person opens could write to it.
CORS_URLS_REGEX = r"^/(token|revoke|\.well-known/.*)$"
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_CREDENTIALS = False
CORS_EXPOSE_HEADERS = ["WWW-Authenticate", "Deprecation", "Sunset", "Link"]
LOGIN_URL = "/login"
LOGIN_REDIRECT_URL = "/"

# People's single sign-on, where there is an OpenID provider (docs/access.md).
OIDC_ISSUER = ENV.oidc_issuer and ENV.oidc_issuer.rstrip("/")
OIDC_NAME = ENV.oidc_name
OIDC_GROUPS_CLAIM = ENV.oidc_groups_claim
OIDC_STAFF_GROUP = ENV.oidc_staff_group
if OIDC_ISSUER and ENV.oidc_client_secret:
    INSTALLED_APPS += [
        "allauth",
        "allauth.account",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.openid_connect",
    ]
    MIDDLEWARE += ["allauth.account.middleware.AccountMiddleware"]
    ACCOUNT_EMAIL_VERIFICATION = "none"  # the provider's business
    SOCIALACCOUNT_ADAPTER = "oauth.sso.CompanyAdapter"
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "company",
                    "name": OIDC_NAME,
                    "client_id": ENV.oidc_client_id,
                    "secret": ENV.oidc_client_secret.get_secret_value(),
                    "settings": {"server_url": OIDC_ISSUER},
                }
            ],
        }
    }

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT: Path | None = env.CHECKOUT / "staticfiles"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["oauth.authentication.PrincipalAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["oauth.permissions.HasRequiredScopes"],
    "DEFAULT_PARSER_CLASSES": ["registry.api.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": [
        "registry.api.rendering.JSONRenderer",
        "registry.api.rendering.CamelJSONRenderer",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "registry.api.problems.translate",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,  # `?format=` is an unknown parameter, Accept decides
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Toolroster",
    "DESCRIPTION": "A registry of versioned tools for LLM agents, with a pulse.",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.0",  # pydantic writes JSON Schema 2020-12, which 3.0 is not
    "SERVE_INCLUDE_SCHEMA": False,
    "PREPROCESSING_HOOKS": ["registry.api.openapi.add_discovery"],
}

CELERY_BROKER_URL = env.celery_broker(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "max_retries": 0,  # else who registers waits 6 s while Valkey is down; workers have retries of their own
    "global_keyprefix": "tr:celery:",
}
CELERY_BEAT_SCHEDULE = {
    "mark stale tools": {
        "task": "registry.tasks.mark_stale_tools",
        "schedule": timedelta(seconds=ENV.sweep_seconds),
        "options": {"expires": ENV.sweep_seconds},  # a backlog of sweeps would help nobody
    },
    "retire after sunset": {
        "task": "registry.tasks.retire_after_sunset",
        "schedule": timedelta(seconds=60),
        "options": {"expires": 60},
    },
    "embed what is missing": {
        "task": "registry.tasks.embed_missing",
        "schedule": timedelta(seconds=30),
        "options": {"expires": 30},
    },
    "maintain indexes": {
        "task": "registry.tasks.maintain_indexes",
        "schedule": timedelta(seconds=300),
        "options": {"expires": 300},
    },
    "record uses": {
        "task": "registry.tasks.record_uses",
        "schedule": timedelta(seconds=60),
        "options": {"expires": 60},
    },
    "maintain calls": {
        "task": "consumers.tasks.maintain_calls",
        "schedule": timedelta(seconds=300),
        "options": {"expires": 300},
    },
    "settle failing tools": {
        "task": "consumers.tasks.settle_failing",
        "schedule": timedelta(seconds=30),
        "options": {"expires": 30},
    },
    "pulse": {
        "task": "registry.tasks.pulse",
        "schedule": timedelta(seconds=10),
        "options": {"expires": 10},
    },
}

LOGGING_CONFIG = "config.logs.configure"
LOGGING = logging_settings(level=ENV.log_level, style=ENV.log_format)

DATA_UPLOAD_MAX_MEMORY_SIZE = ENV.max_body_bytes
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
