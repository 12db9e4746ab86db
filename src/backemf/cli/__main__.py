"""python -m backemf.cli"""

from . import main

main()
