"""Writes `voxmill/_generated.py` from the op table of the engine: one function for each op that is called as NumPy calls it.

    python python/generate.py          # write it
    python python/generate.py --check  # say whether it is up to date
"""

from __future__ import annotations

import keyword
import sys
import textwrap
from pathlib import Path

from voxmill import _native

TARGET = Path(__file__).parent / "voxmill" / "_generated.py"

# Written by hand, because Python users pass what is no parameter of the op: chunks, shapes as numbers, several results.
BY_HAND = {
    "arange", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones", "ones_like", "zeros", "zeros_like",
    "random_integers", "random_normal", "random_poisson", "random_uniform",
    "getitem", "rechunk", "reshape", "astype", "copy", "coarsen", "pad", "repeat", "tile", "transpose", "squeeze", "atleast_nd",
    "clip", "round", "bincount", "histogram", "histogram_bin_edges", "quantile", "percentile", "nanquantile", "nanpercentile",
    "fftfreq", "rfftfreq", "outer", "where", "broadcast_to", "expand_dims", "flip", "roll", "moveaxis", "rot90", "cumsum", "cumprod",
    "nancumsum", "nancumprod", "count_nonzero", "median", "nanmedian", "concatenate", "stack", "hstack", "vstack", "dstack", "tensordot",
    "dot", "vdot", "inner", "nanargmin", "nanargmax",
    "binary_erosion", "binary_dilation", "binary_opening", "binary_closing", "distance_transform_edt",
    "label", "n_labels", "label_values", "n_label_values", "keep_marked", "keep_unmarked", "remove_small_objects", "map_labels",
    "binary_hit_or_miss", "distance_transform_cdt", "distance_transform_indices", "local_maxima", "area_opening",
    "affine_transform", "map_coordinates", "rotate", "shift", "spline_filter", "spline_filter1d", "zoom",
    "cdist", "pdist", "pairwise_distance", "squareform",
    "threshold_otsu", "threshold_yen", "threshold_isodata", "threshold_triangle", "threshold_minimum", "threshold_li",
    "threshold_multiotsu", "threshold_niblack", "threshold_sauvola", "img_as_float",
    "rescale_intensity", "adjust_gamma", "adjust_log", "adjust_sigmoid", "equalize_hist", "equalize_adapthist", "edge_filter", "canny",
    "denoise_bilateral", "denoise_nl_means", "denoise_tv_chambolle", "richardson_lucy", "rolling_ball", "sato", "frangi", "meijering",
}  # fmt: skip

HEAD = '''"""Generated from the op table by python/generate.py; not to be edited."""

from __future__ import annotations

from typing import Any

from voxmill._core import call, optional_dtype
'''

REDUCED = "split_every: Any = None, out: Any = None"


def main() -> int:
    """Write the module, or compare it."""
    text = HEAD + "".join(function(op) for op in _native.ops() if is_public(op))
    text += f"\n\n__all__ = {sorted(op['name'] for op in _native.ops() if is_public(op) and is_top_level(op))!r}\n"
    if "--check" in sys.argv:
        same = TARGET.read_text() == text
        print("up to date" if same else f"{TARGET.name} is not what the op table says: run python/generate.py")
        return 0 if same else 1
    TARGET.write_text(text)
    return 0


def is_public(op: dict) -> bool:
    """Leave out what other ops are made from."""
    return not op["summary"].startswith("Internal") and not op["doc"].startswith("Internal") and op["name"] not in BY_HAND


def is_top_level(op: dict) -> bool:
    """Leave out of the package's own names what has a module of its own (fft, ndimage), and the parts of other functions."""
    parts = {"contract", "contract_part", "extend", "pad_constant", "pad_odd", "pad_ramp", "periodic", "slice"}
    own = ("transform", "filter", "morphology", "measure", "exposure", "ridge", "restoration", "geometry", "distance", "segment")
    return op["theme"] not in own and op["name"] not in parts


def function(op: dict) -> str:
    """Give the source of one function."""
    names = [*op["inputs"], *(param["name"] for param in op["params"])]
    inputs = [f"{name}: Any" for name in op["inputs"]]
    if op["theme"] == "elementwise":
        inputs.append("/")
    params = [f"{p['name']}: Any" + ("" if p["required"] else f" = {python(p['default'])}") for p in op["params"]]
    extra = [REDUCED] if op["theme"] == "reduce" else []
    signature = ", ".join([*inputs, *params, *extra])
    arrays = f"tuple({op['inputs'][0]})" if op["many"] else f"({', '.join(op['inputs'])},)"
    values = ", ".join(f'"{p["name"]}": {value(p["name"])}' for p in op["params"])
    body = f"call(\"{op['name']}\", {arrays}{', {' + values + '}' if values else ''})"
    assert not any(keyword.iskeyword(name) for name in names), op["name"]
    return f"\n\ndef {op['name']}({signature}) -> Any:\n{indented(docstring(op))}\n    return {body}\n"


def value(name: str) -> str:
    """Give the expression for a parameter."""
    return f"optional_dtype({name})" if name in ("dtype", "output") else name


def python(default: object) -> str:
    """Give a default as Python source; lists would be shared between calls."""
    return repr(tuple(default)) if isinstance(default, list) else repr(default)


def docstring(op: dict) -> str:
    """Give the documentation in numpydoc's form."""
    lines = [op["summary"], ""]
    if op["doc"]:
        lines += [*textwrap.wrap(op["doc"].replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n"), 110), ""]
    lines += ["Parameters", "----------"]
    lines += [f"{name} : {'sequence of array_like' if op['many'] else 'array_like'}" for name in op["inputs"]]
    for param in op["params"]:
        lines.append(f"{param['name']} : {param['kind']}{'' if param['required'] else ', optional'}")
        lines += textwrap.wrap(param["doc"][:1].upper() + param["doc"][1:] + ".", 106, initial_indent="    ", subsequent_indent="    ")
    lines += ["", "Returns", "-------", "Array"]
    return "\n".join(lines).replace("\\", "\\\\")


def indented(text: str) -> str:
    """Give a docstring as source."""
    first, *rest = text.splitlines()
    return textwrap.indent("\n".join([f'"""{first}', *rest, '"""']), "    ", lambda line: line.strip() != "")


if __name__ == "__main__":
    sys.exit(main())
