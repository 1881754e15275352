"""The tool of seeds/004: send_email of the mail team, in two versions. Mail goes to a log, not to people."""

import logging
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from toolroster import Param, agent_tool

logger = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])

PROVIDER = CLIENT = "mail-team"
"""The namespace, and the OAuth client that owns it."""


def _send_email(version: str) -> Callable[[F], F]:
    """Declare a version of the tool; what is said of it is the same for all."""
    return agent_tool(
        "send_email",
        "发送一封电子邮件给指定收件人。适合通知和报告，不适合群发营销邮件。"
        " Send an e-mail to one recipient; for notices and reports, not for bulk mail.",
        version=version,
        display_name="发送邮件",
        returns="发送结果 (status of the delivery)",
        examples=[
            "我需要一个能发邮件的工具",
            "Send the report to Anna by e-mail",
            "Schick Anna eine E-Mail",
        ],
        categories=["communication", "email"],
        tags=["async", "external-api"],
        cost_level="LOW",
        avg_latency_ms=300,
        rate_limit=100,
        timeout_ms=5000,
        liveness="heartbeat",
    )


Address = Annotated[
    str, Param("收件人邮箱地址 (address of the recipient)"), Field(json_schema_extra={"format": "email"})
]
Subject = Annotated[str, Param("邮件主题 (subject line)")]
Body = Annotated[str, Param("邮件正文 (text of the message)")]
Priority = Annotated[Literal["low", "normal", "high"], Param("优先级 (priority)")]


@_send_email("1.0.0")
def send_email_1_0(to: Address, subject: Subject, body: Body) -> dict[str, Any]:
    """Send with normal priority."""
    return send_email_1_2(to, subject, body)


@_send_email("1.2.0")
def send_email_1_2(
    to: Address, subject: Subject, body: Body, priority: Priority = "normal"
) -> dict[str, Any]:
    """Write a message to the log and say that it was sent."""
    logger.info("mail to %s: %s (%s characters, %s)", to, subject, len(body), priority)
    return {"to": to, "subject": subject, "status": "sent"}
