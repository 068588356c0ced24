"""The command line: `voxmill ...`, or `python -m voxmill ...`."""

import signal
import sys

from voxmill import _native


def main() -> int:
    """Run the command in `sys.argv`."""
    # The command line answers Ctrl-C itself; Python's own handler would wait until it returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.cli(["voxmill", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
