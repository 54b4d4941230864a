"""Simulated disasters: whole servers, bots, network, broker and database in one thread, on one seeded virtual loop."""
