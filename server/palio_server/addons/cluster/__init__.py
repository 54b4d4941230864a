"""Games played on a Dask cluster: the coordinator's side, the workers' side, and what travels between them.

The coordinator schedules, commits and shows; workers play with the product's own code and send whole records back.
`distributed` is imported when a cluster is asked for, and not before.
"""
