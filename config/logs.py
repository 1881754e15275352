"""Structured logs with the request's id, for people (console) or machines (json)."""

import logging.config
from typing import Any

import structlog
from structlog.types import Processor

SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
"""Applied to every record, ours and the libraries'."""


def logging_settings(*, level: str, style: str) -> dict[str, Any]:
    """Return the `logging.config` dictionary: one handler on stderr; `style` is console or json."""
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    )
    last: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if style == "json":
        last.append(structlog.processors.format_exc_info)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [*last, renderer],
            }
        },
        "filters": {"unexpected": {"()": "config.logs.Unexpected"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.request": {"level": "ERROR", "filters": ["unexpected"]},
            "httpx": {"level": "WARNING"},
        },
    }


class Unexpected(logging.Filter):
    """Lets exceptions through, not answers such as 503: whoever decided on these has logged why."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether to keep the record."""
        return record.exc_info is not None


def configure(settings: dict[str, Any]) -> None:
    """Set the standard library's logging up; called once per process by Django's setup."""
    logging.config.dictConfig(settings)
