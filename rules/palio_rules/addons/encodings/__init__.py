"""Games for programs that learn: positions as arrays, moves as numbers from 0, and which of them are legal.

    rules, options = game_from_spec("breakthrough:rows=5,cols=5")
    encoding = encoding_of(rules, options)
    state = rules.start(options)
    array, mask = encoding.observe(state, state.to_move), encoding.mask(state)
    move = encoding.read(state, mask.argmax())

Environments (`palio_rules.addons.pettingzoo`, `palio_rules.addons.gymnasium`) and bots that are trained policies share
them. One file a game; other packages join through the entry-point group `palio.encodings`. numpy is needed, which
`palio[rl]` brings.
"""

from palio_rules.extras import needs

try:
    from palio_rules.addons.encodings.encoding import BadAction, Encoding
    from palio_rules.addons.encodings.finding import encoding_of
except ModuleNotFoundError as error:
    raise needs(error, "an environment or a trained policy", "rl") from error

__all__ = ["BadAction", "Encoding", "encoding_of"]
