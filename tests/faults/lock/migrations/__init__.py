"""Its migration."""
