"""Where the editors' desk is."""

DESK_PATH = "/admin/"
