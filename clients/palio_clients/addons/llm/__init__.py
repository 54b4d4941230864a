"""`llm:` bots: a language model behind any endpoint that speaks OpenAI's chat completions plays any game.

`settings` reads the spec, `template` and `picture` make the question, `http`, `chat` and `model` ask it, `answer` finds
the move in what comes back, `bot` plays. Nothing here needs a library.
"""
