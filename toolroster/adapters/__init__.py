"""The registry's tools as the tools of a framework; each module needs its extra.

    from toolroster.adapters.langchain import tools      # toolroster[langchain]
    from toolroster.adapters.llama_index import tools    # toolroster[llama-index]
    from toolroster.adapters.openai_agents import tools  # toolroster[openai-agents]
    from toolroster.adapters.pydantic_ai import tools    # toolroster[pydantic-ai]

`tools(registry, *what, **filters)` is the same in all: `usable` chooses, names and calls, each module puts
that into the words of its framework. A model reads the registry's own errors and can mend its call.
"""
