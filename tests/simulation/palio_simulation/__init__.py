"""Simulated disasters: whole servers, bots, network, broker and database in one thread, on one seeded virtual loop.

`python -m palio_simulation --seeds 1..1000` plays a thousand schedules of faults; see docs/evidence/reliability.md.
All decisions are made by the product's own code; sockets, the broker's transport, the time that a disk
takes, and clocks are simulated. The same seed gives the same events, in the same order, on every machine.
"""
