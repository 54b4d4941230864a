"""The sandbox for untrusted programs: what they may read, what they may use up, and how these limits are enforced."""
