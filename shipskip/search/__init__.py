"""The one search over everything that readers and editors look for."""
