"""The studio: a page in the browser over what the command line does."""
