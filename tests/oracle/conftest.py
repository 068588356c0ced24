"""What the comparisons with NumPy and scipy share."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

from peer import Peer, VoxmillError  # noqa: E402


class SharedPeer(Peer):
    """The process of a test session."""

    def has(self, op):
        """True if this build knows `op`."""
        try:
            self(op)
        except VoxmillError as error:
            return error.kind != "not-found"
        return True


@pytest.fixture(scope="session")
def peer():
    process = SharedPeer()
    yield process
    process.close()
