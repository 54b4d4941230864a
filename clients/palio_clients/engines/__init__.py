"""Engines of other projects, by the languages that they speak. The core finds them by entry point only.

`ugi:./engine` and `uci:./engine` are bots: `spec` reads the text, `player` plays a match with a `process` that has
`started`, `lines` reads what the engine says, `positions` has the match as the engine is told of it, in the moves and
positions of `texts`. `hosted` lets them play within the process of the server that has started them. `check` examines
an engine for `palio check-bot`. `palio ugi` and `palio uci` make an engine of any of our bots: `speaker` answers a GUI,
`thinker` lets the bot think.

What differs between languages of this grammar is a `Language`, with a file for each: `ugi` and `uci`. GTP, the
language of Go, has another grammar, commands with answers, and files of its own: `gtp` reads the spec, `gtp_lines` the
answers, `gtp_talk` is the conversation, `gtp_commands` what is said in it; `gtp_player`, `gtp_check` and `gtp_speaker`
are what the files without `gtp` are for the others. `gtp_solver` lets an engine judge positions, by what
`gtp_analysis` reads. `steps` is what both checks share.
"""
