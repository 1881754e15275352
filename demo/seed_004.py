"""The tool of seeds/004: send_email of the mail team, in two versions. Mail goes to a log, not to people."""

import logging
from typing import Any

from demo.service import DemoTool

logger = logging.getLogger(__name__)


def send_email(to: str, subject: str, body: str, priority: str = "normal") -> dict[str, Any]:
    """Write a message to the log and say that it was sent."""
    logger.info("mail to %s: %s (%s characters, %s)", to, subject, len(body), priority)
    return {"to": to, "subject": subject, "status": "sent"}


_PARAMETERS = [
    {
        "name": "to",
        "type": "string",
        "format": "email",
        "description": "收件人邮箱地址 (address of the recipient)",
        "required": True,
    },
    {"name": "subject", "type": "string", "description": "邮件主题 (subject line)", "required": True},
    {"name": "body", "type": "string", "description": "邮件正文 (text of the message)", "required": True},
]


def _document(version: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "provider": "mail-team",
        "name": "send_email",
        "version": version,
        "display_name": "发送邮件",
        "description": "发送一封电子邮件给指定收件人。适合通知和报告，不适合群发营销邮件。"
        " Send an e-mail to one recipient; for notices and reports, not for bulk mail.",
        "returns": "发送结果 (status of the delivery)",
        "parameters": parameters,
        "examples": [
            "我需要一个能发邮件的工具",
            "Send the report to Anna by e-mail",
            "Schick Anna eine E-Mail",
        ],
        "capabilities": {
            "categories": ["communication", "email"],
            "tags": ["async", "external-api"],
            "cost_level": "LOW",
            "avg_latency_ms": 300,
        },
        "policy": {"rate_limit_per_minute": 100, "timeout_ms": 5000},
        "liveness": "heartbeat",
    }


CLIENT = "mail-team"
"""The OAuth client that owns the namespace."""

TOOLS = [
    DemoTool(_document("1.0.0", _PARAMETERS), "/v1.0/send_email", send_email),
    DemoTool(
        _document(
            "1.2.0",
            [
                *_PARAMETERS,
                {
                    "name": "priority",
                    "type": "string",
                    "description": "优先级 (priority)",
                    "enum": ["low", "normal", "high"],
                    "default": "normal",
                },
            ],
        ),
        "/v1.2/send_email",
        send_email,
    ),
]
