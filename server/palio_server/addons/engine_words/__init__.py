"""Command lines of cutechess-cli and fastchess after `palio run`, in our words. Pure: words in, words out.

The options of both programs are those of cutechess-cli 1.4's help text and parser, and of fastchess's manual and parser
(late 2025). Each works as there, or is refused with our option: `docs/how-to/from-cutechess.md` has the table.
"""

from palio_server.addons.engine_words.translation import Translation, translated

__all__ = ["Translation", "translated"]
