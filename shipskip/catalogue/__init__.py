"""Import and export of all editorial content: the catalogue document and the CSV files."""
