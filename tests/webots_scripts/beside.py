"""A module that a controller has beside it."""

WORD = "beside"
