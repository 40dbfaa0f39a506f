"""The public content for programs: feeds and what else reads it without a page."""
