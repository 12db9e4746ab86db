"""What is kept of a run: a table, a picture, a sound."""
