"""A provider inside a Flask application: `flask --app examples.flask_app run --port 9000`."""

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from toolroster import Provider, agent_tool


@agent_tool(categories=["text"], read_only=True, idempotent=True, examples=["Count the words of this letter"])
def count_words(text: str) -> int:
    """Count the words of a text. Use it for prose, not for code."""
    return len(text.split())


provider = Provider("http://localhost:8006", count_words, name="text-team", url="http://localhost:9000/agent")
app = Flask(__name__)
app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {"/agent": provider.app().wsgi})  # type: ignore[method-assign]
provider.start()  # in each worker process
