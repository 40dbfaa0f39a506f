"""The site. Its version is the release's; CHANGELOG.md has a heading for each."""

__version__ = "1.0.0"
