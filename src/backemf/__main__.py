"""`python -m backemf`: the command line where its program is not on the path."""

from .cli import main

if __name__ == "__main__":
    main()
