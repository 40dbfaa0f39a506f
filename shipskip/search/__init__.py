"""The search over all content, used by readers and editors."""
