"""What the last word of a command line may become, for shells that complete it.

`words` are those that are known, `paths` what there is on the disk, `specs` how games and bots are written. Each
Completer is what click calls `shell_complete`. A word that ends in `:`, `=`, `,` or `/` goes on: no blank follows it.
Whoever completes waits: nothing here runs an author's file, asks a server or loads what is heavy.
"""
