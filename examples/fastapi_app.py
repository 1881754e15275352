"""A provider inside a FastAPI application: `uvicorn examples.fastapi_app:app --port 9000`."""

from fastapi import FastAPI

from toolroster import Provider, agent_tool


@agent_tool(categories=["weather"], read_only=True, examples=["Will it rain in Berlin?"])
async def forecast(city: str, days: int = 1) -> list[str]:
    """Forecast the weather of a city. Use it for the next days, not for the past."""
    return [f"{city}: dry"] * days


provider = Provider("http://localhost:8006", forecast, name="weather-team", url="http://localhost:9000/agent")
app = FastAPI(lifespan=provider.lifespan)
app.mount("/agent", provider.app())
