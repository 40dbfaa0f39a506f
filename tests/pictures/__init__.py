"""The pictures of the documents, and how many clicks and keys an editor's tasks need."""
