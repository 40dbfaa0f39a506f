"""Checks of the settings: their values as they are read, and what they name as it is found."""
