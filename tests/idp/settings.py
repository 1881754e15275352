"""Settings of the company's provider; everything that differs between runs comes by the environment."""

import os

_HERE = os.environ["IDP_ISSUER"]
_LOGIN = "<main><form method=post>{% csrf_token %}{{ form }}</form></main>"
SECRET_KEY = "only for tests"
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "tests.idp.urls"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "oauth2_provider",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "idp", "idp_csrf"  # cookies know no ports
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["IDP_DATABASE"]}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
LOGIN_URL = "/login"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.locmem.Loader",
                    {"registration/login.html": _LOGIN},
                )
            ]
        },
    }
]
OAUTH2_PROVIDER = {
    "OIDC_ENABLED": True,
    "OIDC_ISS_ENDPOINT": _HERE,
    "OIDC_RSA_PRIVATE_KEY": os.environ["IDP_KEY"],
    "OAUTH2_VALIDATOR_CLASS": "tests.idp.claims.CompanyValidator",
    "SCOPES": {"openid": "", "profile": "", "email": ""},
    "PKCE_REQUIRED": True,
}
