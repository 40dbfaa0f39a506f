"""The pictures of the documents, and the length of an editor's ways through the desk."""
