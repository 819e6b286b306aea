"""Which entities may be one, and which belong together: computed from what is given, nothing stored."""
