"""What viewers follow: numbered events, boards drawn when somebody looks, audiences."""
