"""Trained policies as bots: what is observed goes in, the number of an action comes out.

`entrant` reads the specs that begin with `policy:`, `deciding` asks any kind of policy, `bot` plays a
match with it. Observations and actions are those of the environments, see `palio_rules.addons.encodings`.
"""
