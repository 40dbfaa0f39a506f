"""The catalogue document and the CSV of takes: all editorial content in and out as files."""
