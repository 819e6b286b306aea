"""The door of open pages: a socket that says what kind of thing changed."""
