"""The formats of English."""
