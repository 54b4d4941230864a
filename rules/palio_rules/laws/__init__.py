"""The laws of every game, each a function that reports where it is broken. `palio check-game` runs them all.

    walk = walk_through(rules, options, positions=200, seed=0)
    for finding in findings(walk): print(finding)

The property tests over all installed games use the same functions.
"""

from palio_rules.laws.code import LAWS, findings
from palio_rules.laws.walk import Broken, Finding, Law, Sample, Walk, walk_through

__all__ = ["LAWS", "Broken", "Finding", "Law", "Sample", "Walk", "findings", "walk_through"]
