"""python -m ncclscript: the program."""

import os
import sys

from ncclscript import program


def main():
    os.execv(program(), [program(), *sys.argv[1:]])


if __name__ == "__main__":
    main()
