"""Parts of phrases that all languages share."""

KEY_FILE = (
    r"(?:[/\\~]\.?(?:ssh|aws|gnupg|kube|cursor|claude)/|\.(?:netrc|git-credentials)\b"
    r"|\bid (?:rsa|ed25519)\b(?!\.pub)|/etc/(?:passwd|shadow)\b|\bmcp\.json|\bclaude desktop config)"
)
"""Files that hold keys and passwords of the agent's machine."""
AI = (
    r"(?:ais?|llms?|(?:large )?language models?|ai (?:assistants?|agents?|models?|systems?)"
    r"|claude|chatgpt|copilot|gemini|gpt-?\d\w{0,3})"
)
"""Names of the model; not "model", "agent" and "assistant" alone, which are words of business."""
