"""Checks of the settings: of their values, and of the servers and files that they refer to."""
