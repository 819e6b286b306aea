"""Django's PostgreSQL backend with a cheaper look at pooled connections."""
