"""Entities and relationships as memories state them: resolved, woven in, pruned, all inside the bank's
open book. The graph is derived: every edge is backed by a memory or declared by itself."""
