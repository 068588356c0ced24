"""What all tests and examples of the Python package share."""

import numpy as np
import pytest

import voxmill as vm


@pytest.fixture(autouse=True)
def names_for_examples(doctest_namespace, tmp_path):
    """Examples in docstrings know these names."""
    doctest_namespace.update(vm=vm, np=np, tmp=tmp_path)
