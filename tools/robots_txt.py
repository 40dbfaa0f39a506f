"""What a robots.txt says to one robot (RFC 9309)."""

MAX_BYTES = 500 * 1024
"""A robot has to read so much of it; we read no more."""
_RULES = {"allow": "Allow", "disallow": "Disallow", "crawldelay": "Crawl-delay"}


def rules_for(robot: str, text: str) -> str:
    """The robot's own group of a robots.txt, else that of `*`, as a robots.txt of that group alone;
    empty without either. In linear time: a parser's work and memory may grow with the square of
    the agents in a file, so it gets one.
    """
    rules: dict[str, list[str]] = {}
    groups: set[str] = set()
    is_naming = False
    for line in text.splitlines():
        field, colon, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower().translate(_JOINERS), value.strip()
        if colon and field == "useragent":
            if not is_naming:
                groups.clear()
            is_naming = True
            agent = value.partition("/")[0].strip().lower()
            if agent in ("*", robot.lower()):
                groups.add(agent)
                rules.setdefault(agent, [])
        elif colon and (name := _RULES.get(field)):
            is_naming = False
            for agent in groups:
                rules[agent].append(f"{name}: {value}")
    own = rules.get(robot.lower(), rules.get("*"))
    return "\n".join([f"User-agent: {robot}", *own]) if own else ""


_JOINERS = str.maketrans("", "", " -_")
