"""`python -m questions.cli`: the `questions` command where no script is installed."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
