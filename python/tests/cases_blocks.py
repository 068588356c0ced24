"""Functions of users: compared with Dask, scipy and NumPy in files of their own."""

from __future__ import annotations

from differential import Case

CASES: list[Case] = []

_HERE = {
    "test_blocks.py": "map_blocks map_overlap blockwise reduction apply_along_axis apply_over_axes overlap trim_overlap trim_internal"
    " unify_chunks from_function from_map",
    "test_gufunc.py": "apply_gufunc as_gufunc frompyfunc",
    "test_delayed.py": "delayed from_delayed submit map gather wait compute persist",
    "test_processes.py": "explain",
}

ELSEWHERE = {name: file for file, names in _HERE.items() for name in names.split()}
