"""Generated from the op table by python/generate.py; not to be edited."""

from __future__ import annotations

from typing import Any

from voxmill._core import call, optional_dtype


def abs(x: Any, /) -> Any:
    """Absolute value of every element.

    The same as absolute.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("abs", (x,))


def absolute(x: Any, /) -> Any:
    """Absolute value of every element.

    The smallest signed integer wraps to itself, as in NumPy. Complex numbers give the float type of their parts;
    booleans stay.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("absolute", (x,))


def add(x1: Any, x2: Any, /) -> Any:
    """Adds two arrays element by element.

    Integers wrap around, as in NumPy; for booleans it is a logical or.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("add", (x1, x2,))


def angle(z: Any, /, deg: Any = False) -> Any:
    """Angle of complex numbers, in radians from -pi to pi or in degrees.

    Real numbers have the angle 0, or pi below zero and for -0.0; NaN stays NaN. Integers become floats: float16
    up to 8 bits, float32 up to 16, else float64; booleans become float64.

    Parameters
    ----------
    z : array_like
    deg : bool, optional
        Give degrees instead of radians.

    Returns
    -------
    Array
    """
    return call("angle", (z,), {"deg": deg})


def arccos(x: Any, /) -> Any:
    """Inverse cosine, in radians from 0 to pi.

    Real numbers beyond -1 and 1 give NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up
    to 16, else float64. Half floats are computed in float32. Complex numbers are computed in double precision
    with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("arccos", (x,))


def arccosh(x: Any, /) -> Any:
    """Inverse hyperbolic cosine of every element.

    Real numbers below 1 give NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16,
    else float64. Half floats are computed in float32. Complex numbers are computed in double precision with the
    special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("arccosh", (x,))


def arcsin(x: Any, /) -> Any:
    """Inverse sine, in radians from -pi/2 to pi/2.

    Real numbers beyond -1 and 1 give NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up
    to 16, else float64. Half floats are computed in float32. Complex numbers are computed in double precision
    with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("arcsin", (x,))


def arcsinh(x: Any, /) -> Any:
    """Inverse hyperbolic sine of every element.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are computed in double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("arcsinh", (x,))


def arctan(x: Any, /) -> Any:
    """Inverse tangent, in radians from -pi/2 to pi/2.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are computed in double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("arctan", (x,))


def arctan2(x1: Any, x2: Any, /) -> Any:
    """Angle of the point (x2, x1), in radians from -pi to pi.

    The quadrant follows from both signs, also of zeros. Integers and booleans become floats: float16 up to 8
    bits, float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("arctan2", (x1, x2,))


def arctanh(x: Any, /) -> Any:
    """Inverse hyperbolic tangent of every element.

    1 and -1 give infinity; real numbers beyond give NaN. Integers and booleans become floats: float16 up to 8
    bits, float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are computed in
    double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("arctanh", (x,))


def bitwise_and(x1: Any, x2: Any, /) -> Any:
    """Bitwise and of two arrays.

    For integers and booleans; signed and unsigned 64-bit integers have no common type and are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("bitwise_and", (x1, x2,))


def bitwise_count(x: Any, /) -> Any:
    """Number of bits that are set in the absolute value of an integer.

    The result is uint8. Booleans count as 0 and 1.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("bitwise_count", (x,))


def bitwise_invert(x: Any, /) -> Any:
    """Changes every bit; for booleans a logical not.

    The same as invert.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("bitwise_invert", (x,))


def bitwise_left_shift(x1: Any, x2: Any, /) -> Any:
    """Shifts bits to the left.

    The same as left_shift.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("bitwise_left_shift", (x1, x2,))


def bitwise_not(x: Any, /) -> Any:
    """Changes every bit; for booleans a logical not.

    The same as invert.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("bitwise_not", (x,))


def bitwise_or(x1: Any, x2: Any, /) -> Any:
    """Bitwise or of two arrays.

    For integers and booleans; signed and unsigned 64-bit integers have no common type and are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("bitwise_or", (x1, x2,))


def bitwise_right_shift(x1: Any, x2: Any, /) -> Any:
    """Shifts bits to the right, keeping the sign.

    The same as right_shift.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("bitwise_right_shift", (x1, x2,))


def bitwise_xor(x1: Any, x2: Any, /) -> Any:
    """Bitwise xor of two arrays.

    For integers and booleans; signed and unsigned 64-bit integers have no common type and are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("bitwise_xor", (x1, x2,))


def cbrt(x: Any, /) -> Any:
    """Cube root of every element.

    Negative numbers have negative roots. Integers and booleans become floats: float16 up to 8 bits, float32 up to
    16, else float64. Half floats are computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("cbrt", (x,))


def ceil(x: Any, /) -> Any:
    """The smallest whole number not below every element.

    Integers and booleans stay as they are; complex numbers are refused.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("ceil", (x,))


def conj(x: Any, /) -> Any:
    """Complex conjugate of every element.

    The same as conjugate.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("conj", (x,))


def conjugate(x: Any, /) -> Any:
    """Complex conjugate of every element.

    Real numbers stay as they are; booleans become int8, as in NumPy.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("conjugate", (x,))


def copysign(x1: Any, x2: Any, /) -> Any:
    """The first array with the signs of the second.

    Zeros and NaN have signs too. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16,
    else float64. Half floats are computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("copysign", (x1, x2,))


def cos(x: Any, /) -> Any:
    """Cosine of angles in radians.

    Infinity gives NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64.
    Half floats are computed in float32. Complex numbers are computed in double precision with the special values
    of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("cos", (x,))


def cosh(x: Any, /) -> Any:
    """Hyperbolic cosine of every element.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are computed in double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("cosh", (x,))


def deg2rad(x: Any, /) -> Any:
    """Degrees as radians.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("deg2rad", (x,))


def degrees(x: Any, /) -> Any:
    """Radians as degrees.

    The same as rad2deg.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("degrees", (x,))


def divide(x1: Any, x2: Any, /) -> Any:
    """Divides two arrays element by element.

    Exact inputs are divided as float64; floats and complex numbers keep their type. Division by zero gives
    infinity or NaN. Complex quotients use Smith's method, as NumPy.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("divide", (x1, x2,))


def equal(x1: Any, x2: Any, /) -> Any:
    """True where two arrays are equal.

    Integers compare by value, also uint64 with signed integers and with bare numbers beyond the array's type;
    other types meet at their common type. NaN is equal to nothing. Complex numbers compare part by part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("equal", (x1, x2,))


def exp(x: Any, /) -> Any:
    """Exponential of every element.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. float32 is within 2
    units in the last place; half floats are computed in float32. Complex numbers are computed in double precision
    with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("exp", (x,))


def exp2(x: Any, /) -> Any:
    """Two to the power of every element.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are computed in double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("exp2", (x,))


def expm1(x: Any, /) -> Any:
    """exp(x) - 1, exact also near zero.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are computed in double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("expm1", (x,))


def fabs(x: Any, /) -> Any:
    """Absolute value of every element, as a float.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are refused: use absolute.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("fabs", (x,))


def float_power(x1: Any, x2: Any, /) -> Any:
    """Raises the first array to the powers in the second, in double precision.

    The result is float64, or complex128 where an input is complex, whatever the inputs are. A negative base with
    a broken exponent gives NaN.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("float_power", (x1, x2,))


def floor(x: Any, /) -> Any:
    """The largest whole number not above every element.

    Integers and booleans stay as they are; complex numbers are refused.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("floor", (x,))


def floor_divide(x1: Any, x2: Any, /) -> Any:
    """Divides and rounds down to a whole number.

    Rounds towards minus infinity, as Python's //. Integers: division by zero gives 0, and the smallest number
    divided by -1 wraps around. Floats: division by zero gives infinity or NaN. Booleans count as int8; complex
    numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("floor_divide", (x1, x2,))


def fmax(x1: Any, x2: Any, /) -> Any:
    """The larger of two elements, ignoring NaN.

    NaN only where both are NaN. Of two zeros with different signs the first is taken. Complex numbers compare by
    the real part, then by the imaginary part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("fmax", (x1, x2,))


def fmin(x1: Any, x2: Any, /) -> Any:
    """The smaller of two elements, ignoring NaN.

    NaN only where both are NaN. Of two zeros with different signs the first is taken. Complex numbers compare by
    the real part, then by the imaginary part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("fmin", (x1, x2,))


def fmod(x1: Any, x2: Any, /) -> Any:
    """Remainder of a division, with the sign of the dividend.

    As C's fmod. Integers: a zero divisor gives 0. Floats: a zero divisor gives NaN. Booleans count as int8;
    complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("fmod", (x1, x2,))


def gcd(x1: Any, x2: Any, /) -> Any:
    """Greatest common divisor of two integers.

    Never negative, except that the smallest signed integer wraps to itself; gcd(0, 0) is 0. Integers only.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("gcd", (x1, x2,))


def greater(x1: Any, x2: Any, /) -> Any:
    """True where the first array is larger.

    Integers compare by value, also uint64 with signed integers and with bare numbers beyond the array's type;
    other types meet at their common type. NaN is neither smaller nor larger. Complex numbers compare by the real
    part, then by the imaginary part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("greater", (x1, x2,))


def greater_equal(x1: Any, x2: Any, /) -> Any:
    """True where the first array is larger or equal.

    Integers compare by value, also uint64 with signed integers and with bare numbers beyond the array's type;
    other types meet at their common type. NaN is neither smaller nor larger. Complex numbers compare by the real
    part, then by the imaginary part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("greater_equal", (x1, x2,))


def heaviside(x1: Any, x2: Any, /) -> Any:
    """Step function: 0 below zero, 1 above, and the second array at zero.

    NaN in the first array stays NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16,
    else float64. Half floats are computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("heaviside", (x1, x2,))


def hypot(x1: Any, x2: Any, /) -> Any:
    """Length of the hypotenuse: sqrt(x1**2 + x2**2) without overflow.

    Infinity wins over NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else
    float64. Half floats are computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("hypot", (x1, x2,))


def imag(x: Any, /) -> Any:
    """Imaginary part of every element.

    Zero, of the same type, for real numbers.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("imag", (x,))


def invert(x: Any, /) -> Any:
    """Changes every bit; for booleans a logical not.

    For integers and booleans only.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("invert", (x,))


def isclose(a: Any, b: Any, /, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    """True where two arrays are equal within a tolerance.

    |a - b| <= atol + rtol * |b|, computed in the common float or complex type, float64 for integers; infinities
    are close to themselves only. Not symmetric: b is the reference. In half precision every step is rounded, as
    in NumPy. Difference from NumPy: bare numbers and tolerances are rounded to the common type first.

    Parameters
    ----------
    a : array_like
    b : array_like
    rtol : float, optional
        Allowed difference, relative to b.
    atol : float, optional
        Allowed difference.
    equal_nan : bool, optional
        Let NaN equal NaN.

    Returns
    -------
    Array
    """
    return call("isclose", (a, b,), {"rtol": rtol, "atol": atol, "equal_nan": equal_nan})


def isfinite(x: Any, /) -> Any:
    """True where an element is neither infinite nor NaN.

    Both parts of a complex number must be finite. Always true for integers and booleans.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("isfinite", (x,))


def isinf(x: Any, /) -> Any:
    """True where an element is infinite.

    A complex number is infinite if one of its parts is. Always false for integers and booleans.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("isinf", (x,))


def isnan(x: Any, /) -> Any:
    """True where an element is not a number.

    A complex number is NaN if one of its parts is. Always false for integers and booleans.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("isnan", (x,))


def lcm(x1: Any, x2: Any, /) -> Any:
    """Least common multiple of two integers.

    Wraps around on overflow; 0 if one of them is 0. Integers only.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("lcm", (x1, x2,))


def ldexp(x1: Any, x2: Any, /) -> Any:
    """The first array times two to the power of the second.

    The second array must be of integers that fit int64. Rounds once, also below the smallest normal number.
    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Difference from NumPy: a bare number in place of the first array counts as float64.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("ldexp", (x1, x2,))


def left_shift(x1: Any, x2: Any, /) -> Any:
    """Shifts bits to the left.

    Counts below zero or beyond the width give 0. Booleans count as int8; signed and unsigned 64-bit integers have
    no common type and are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("left_shift", (x1, x2,))


def less(x1: Any, x2: Any, /) -> Any:
    """True where the first array is smaller.

    Integers compare by value, also uint64 with signed integers and with bare numbers beyond the array's type;
    other types meet at their common type. NaN is neither smaller nor larger. Complex numbers compare by the real
    part, then by the imaginary part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("less", (x1, x2,))


def less_equal(x1: Any, x2: Any, /) -> Any:
    """True where the first array is smaller or equal.

    Integers compare by value, also uint64 with signed integers and with bare numbers beyond the array's type;
    other types meet at their common type. NaN is neither smaller nor larger. Complex numbers compare by the real
    part, then by the imaginary part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("less_equal", (x1, x2,))


def log(x: Any, /) -> Any:
    """Natural logarithm of every element.

    0 gives -inf; negative real numbers give NaN, complex ones are cut along the negative real axis. Integers and
    booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. float32 is within 2 units in the
    last place; half floats are computed in float32. Complex numbers are computed in double precision with the
    special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("log", (x,))


def log10(x: Any, /) -> Any:
    """Logarithm to the base 10.

    0 gives -inf; negative real numbers give NaN. Integers and booleans become floats: float16 up to 8 bits,
    float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are computed in double
    precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("log10", (x,))


def log1p(x: Any, /) -> Any:
    """log(1 + x), exact also near zero.

    -1 gives -inf; real numbers below -1 give NaN. Integers and booleans become floats: float16 up to 8 bits,
    float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are computed in double
    precision with the special values of C99; near zero they are more exact than NumPy's.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("log1p", (x,))


def log2(x: Any, /) -> Any:
    """Logarithm to the base 2.

    0 gives -inf; negative real numbers give NaN. Integers and booleans become floats: float16 up to 8 bits,
    float32 up to 16, else float64. Half floats are computed in float32. Complex numbers are computed in double
    precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("log2", (x,))


def logaddexp(x1: Any, x2: Any, /) -> Any:
    """log(exp(x1) + exp(x2)) without overflow.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("logaddexp", (x1, x2,))


def logaddexp2(x1: Any, x2: Any, /) -> Any:
    """log2(2**x1 + 2**x2) without overflow.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("logaddexp2", (x1, x2,))


def logical_and(x1: Any, x2: Any, /) -> Any:
    """True where both arrays are true.

    Everything but zero is true, also NaN.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("logical_and", (x1, x2,))


def logical_not(x: Any, /) -> Any:
    """True where an array is zero or false.

    Everything but zero is true, also NaN.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("logical_not", (x,))


def logical_or(x1: Any, x2: Any, /) -> Any:
    """True where at least one array is true.

    Everything but zero is true, also NaN.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("logical_or", (x1, x2,))


def logical_xor(x1: Any, x2: Any, /) -> Any:
    """True where exactly one array is true.

    Everything but zero is true, also NaN.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("logical_xor", (x1, x2,))


def maximum(x1: Any, x2: Any, /) -> Any:
    """The larger of two elements.

    A NaN in either array gives NaN. Of two zeros with different signs the first is taken. Complex numbers compare
    by the real part, then by the imaginary part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("maximum", (x1, x2,))


def minimum(x1: Any, x2: Any, /) -> Any:
    """The smaller of two elements.

    A NaN in either array gives NaN. Of two zeros with different signs the first is taken. Complex numbers compare
    by the real part, then by the imaginary part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("minimum", (x1, x2,))


def mod(x1: Any, x2: Any, /) -> Any:
    """Remainder of a division, with the sign of the divisor.

    The same as remainder.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("mod", (x1, x2,))


def multiply(x1: Any, x2: Any, /) -> Any:
    """Multiplies two arrays element by element.

    Integers wrap around, as in NumPy; for booleans it is a logical and.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("multiply", (x1, x2,))


def nan_to_num(x: Any, /, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Replaces NaN and infinities by numbers.

    Integers and booleans stay as they are. Both parts of a complex number are treated alone. Replacements are
    rounded to the type of the array.

    Parameters
    ----------
    x : array_like
    nan : number, optional
        In place of NaN.
    posinf : number or null, optional
        In place of infinity; null is the largest number of the type.
    neginf : number or null, optional
        In place of minus infinity; null is the smallest number of the type.

    Returns
    -------
    Array
    """
    return call("nan_to_num", (x,), {"nan": nan, "posinf": posinf, "neginf": neginf})


def negative(x: Any, /) -> Any:
    """Changes the sign of every element.

    Integers wrap around: unsigned ones too, as in NumPy. Booleans are refused: use logical_not.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("negative", (x,))


def nextafter(x1: Any, x2: Any, /) -> Any:
    """The next number after the first array, towards the second.

    Steps are those of the result type. Integers and booleans become floats: float16 up to 8 bits, float32 up to
    16, else float64. Half floats are computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("nextafter", (x1, x2,))


def not_equal(x1: Any, x2: Any, /) -> Any:
    """True where two arrays differ.

    Integers compare by value, also uint64 with signed integers and with bare numbers beyond the array's type;
    other types meet at their common type. NaN is different from everything. Complex numbers compare part by part.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("not_equal", (x1, x2,))


def positive(x: Any, /) -> Any:
    """The elements as they are.

    Booleans are refused, as in NumPy.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("positive", (x,))


def power(x1: Any, x2: Any, /) -> Any:
    """Raises the first array to the powers in the second.

    Integers wrap around and booleans count as int8. An integer to a bare negative number is an error, as in
    NumPy; negative exponents in an integer array, which NumPy refuses while it runs, give the whole part of the
    fraction: 1 for the base 1, 1 or -1 for the base -1, else 0. Complex numbers are computed in double precision;
    whole exponents below 100 multiply. A single exponent of 2 squares. Difference from NumPy: a bare exponent of
    0.5 is an ordinary power, not a square root, which differs for -0.0 and -inf.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("power", (x1, x2,))


def rad2deg(x: Any, /) -> Any:
    """Radians as degrees.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are refused.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("rad2deg", (x,))


def radians(x: Any, /) -> Any:
    """Degrees as radians.

    The same as deg2rad.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("radians", (x,))


def real(x: Any, /) -> Any:
    """Real part of every element.

    Real numbers stay as they are.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("real", (x,))


def reciprocal(x: Any, /) -> Any:
    """One divided by every element.

    Integers give the whole part: 0 beyond 1 and -1. The reciprocal of an integer 0 is NumPy's on x86-64: the
    smallest int32 or int64, and 0 for other types. Booleans count as int8.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("reciprocal", (x,))


def remainder(x1: Any, x2: Any, /) -> Any:
    """Remainder of a division, with the sign of the divisor.

    As Python's %. Integers: a zero divisor gives 0. Floats: a zero divisor gives NaN. Booleans count as int8;
    complex numbers are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("remainder", (x1, x2,))


def right_shift(x1: Any, x2: Any, /) -> Any:
    """Shifts bits to the right, keeping the sign.

    Counts below zero or beyond the width give 0, or -1 for negative numbers. Booleans count as int8; signed and
    unsigned 64-bit integers have no common type and are refused.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("right_shift", (x1, x2,))


def rint(x: Any, /) -> Any:
    """Rounds to the nearest whole number, halves to even.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are rounded part by part.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("rint", (x,))


def sign(x: Any, /) -> Any:
    """Sign of every element: -1, 0 or 1.

    NaN stays NaN. For complex numbers x / |x|, and 0 for 0, as NumPy 2. Booleans are refused.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("sign", (x,))


def signbit(x: Any, /) -> Any:
    """True where the sign bit is set: below zero, and for -0.0.

    NaN has a sign bit too. Complex numbers are refused.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("signbit", (x,))


def sin(x: Any, /) -> Any:
    """Sine of angles in radians.

    Infinity gives NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64.
    Half floats are computed in float32. Complex numbers are computed in double precision with the special values
    of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("sin", (x,))


def sinc(x: Any, /) -> Any:
    """Normalised sinc: sin(pi x) / (pi x), and 1 at zero.

    Exact inputs are computed as float64; half floats are computed in float32, where NumPy rounds every step, and
    complex numbers in double precision. Infinity gives NaN.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("sinc", (x,))


def sinh(x: Any, /) -> Any:
    """Hyperbolic sine of every element.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are computed in double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("sinh", (x,))


def spacing(x: Any, /) -> Any:
    """Distance to the next number of the same type, away from zero.

    Negative for negative numbers; for float16 positive, as in NumPy. Infinity and NaN give NaN. Integers and
    booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are computed in
    float32.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("spacing", (x,))


def sqrt(x: Any, /) -> Any:
    """Square root of every element.

    Negative real numbers give NaN; complex ones are cut along the negative real axis. Integers and booleans
    become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are computed in float32.
    Complex numbers are computed in double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("sqrt", (x,))


def square(x: Any, /) -> Any:
    """The square of every element.

    Integers wrap around; booleans count as int8.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("square", (x,))


def subtract(x1: Any, x2: Any, /) -> Any:
    """Subtracts two arrays element by element.

    Integers wrap around, as in NumPy. Booleans are refused: use logical_xor.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("subtract", (x1, x2,))


def tan(x: Any, /) -> Any:
    """Tangent of angles in radians.

    Infinity gives NaN. Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64.
    Half floats are computed in float32. Complex numbers are computed in double precision with the special values
    of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("tan", (x,))


def tanh(x: Any, /) -> Any:
    """Hyperbolic tangent of every element.

    Integers and booleans become floats: float16 up to 8 bits, float32 up to 16, else float64. Half floats are
    computed in float32. Complex numbers are computed in double precision with the special values of C99.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("tanh", (x,))


def true_divide(x1: Any, x2: Any, /) -> Any:
    """Divides two arrays element by element.

    The same as divide.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    Array
    """
    return call("true_divide", (x1, x2,))


def trunc(x: Any, /) -> Any:
    """Every element without its fraction.

    Integers and booleans stay as they are; complex numbers are refused.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("trunc", (x,))


def extend(x: Any, before: Any, after: Any, mode: Any) -> Any:
    """The array continued beyond its ends by its edge or mirror image.

    What pad with modes "edge", "reflect" and "symmetric" is made of. A box in the padding reads the elements that
    it copies, and nothing between them and the border; mirror images repeat where the padding is longer than the
    axis.

    Parameters
    ----------
    x : array_like
    before : list of int
        Elements added before the first on each axis.
    after : list of int
        Elements added behind the last on each axis.
    mode : list of "edge", "reflect" or "symmetric"
        Which element a new one is a copy of, for each axis.

    Returns
    -------
    Array
    """
    return call("extend", (x,), {"before": before, "after": after, "mode": mode})


def pad_constant(x: Any, before: Any, after: Any, values: Any) -> Any:
    """The array with given values around it.

    What pad with modes "constant" and "empty" is made of. Values are cast as by astype; where the padding of two
    axes meets, the later axis wins.

    Parameters
    ----------
    x : array_like
    before : list of int
        Elements added before the first on each axis.
    after : list of int
        Elements added behind the last on each axis.
    values : list of pairs of numbers
        Their values on each axis.

    Returns
    -------
    Array
    """
    return call("pad_constant", (x,), {"before": before, "after": after, "values": values})


def pad_odd(x: Any, first: Any, last: Any, axis: Any, before: Any, after: Any, symmetric: Any) -> Any:
    """One axis continued by its point reflection.

    What pad with reflect_type "odd" is made of: a new element is twice the edge minus the element of the mirror
    image, in the array's own type; integers wrap around. All three inputs are the same array.

    Parameters
    ----------
    x : array_like
    first : array_like
    last : array_like
    axis : int
        The axis, counted from the front.
    before : int
        Elements added before the first.
    after : int
        Elements added behind the last.
    symmetric : bool
        Whether the mirror image begins with the edge.

    Returns
    -------
    Array
    """
    return call("pad_odd", (x, first, last,), {"axis": axis, "before": before, "after": after, "symmetric": symmetric})


def pad_ramp(x: Any, first: Any, last: Any, first_by_ratio: Any, last_by_ratio: Any, axis: Any, before: Any, after: Any, end_values: Any) -> Any:
    """One axis continued by straight lines from its edges to given values.

    What pad with mode "linear_ramp" is made of. The lines are computed in float64 as numpy.linspace does, and
    rounded down for integers. The first three inputs are the same array; the last two say whether NumPy
    multiplies by the ratio instead of the step, which changes last bits only.

    Parameters
    ----------
    x : array_like
    first : array_like
    last : array_like
    first_by_ratio : array_like
    last_by_ratio : array_like
    axis : int
        The axis, counted from the front.
    before : int
        Elements added before the first.
    after : int
        Elements added behind the last.
    end_values : two numbers
        The values at the far ends.

    Returns
    -------
    Array
    """
    return call("pad_ramp", (x, first, last, first_by_ratio, last_by_ratio,), {"axis": axis, "before": before, "after": after, "end_values": end_values})


def periodic(x: Any, again: Any, axis: Any, start: Any, len: Any) -> Any:
    """A stretch of the endless repetition of an array along one axis.

    What roll, tile and pad with mode "wrap" are made of. Both inputs are the same array, taken in turns: a box
    across the seam reads the end of one and the beginning of the other.

    Parameters
    ----------
    x : array_like
    again : array_like
    axis : int
        The axis, counted from the front.
    start : int
        Position in the input of the first element.
    len : int
        Number of elements.

    Returns
    -------
    Array
    """
    return call("periodic", (x, again,), {"axis": axis, "start": start, "len": len})


def ravel(x: Any) -> Any:
    """All elements in one axis, in C order.

    A box of the result reads the smallest box of the input around its elements.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Array
    """
    return call("ravel", (x,))


def slice(x: Any, start: Any, step: Any, count: Any) -> Any:
    """Elements at even distances on each axis.

    The plain form of indexing with slices, in which everything is spelled out; getitem is the convenient one.
    Nothing is copied until somebody needs the elements in order.

    Parameters
    ----------
    x : array_like
    start : list of int
        First element on each axis.
    step : list of int
        Distance to the next element on each axis, negative to run backwards.
    count : list of int
        Number of elements on each axis.

    Returns
    -------
    Array
    """
    return call("slice", (x,), {"start": start, "step": step, "count": count})


def swapaxes(x: Any, axis1: Any, axis2: Any) -> Any:
    """The array with two axes exchanged.

    As NumPy.

    Parameters
    ----------
    x : array_like
    axis1 : int
        One axis.
    axis2 : int
        The other axis.

    Returns
    -------
    Array
    """
    return call("swapaxes", (x,), {"axis1": axis1, "axis2": axis2})


def sum(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Sum of elements over axes.

    Integers and booleans are added up in 64 bits and wrap around, as in NumPy; float16 and float32 are added up
    in float64, float64 in twice its precision. The sum of nothing is 0.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("sum", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "keepdims": keepdims})


def prod(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Product of elements over axes.

    Integers and booleans are multiplied in 64 bits and wrap around, as in NumPy; floats in float64. The product
    of nothing is 1.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("prod", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "keepdims": keepdims})


def mean(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Arithmetic mean over axes.

    Integers give float64, other types keep theirs; the work is done in float64 or, for integers of up to 16 bits,
    exactly. The mean of nothing is NaN.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("mean", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "keepdims": keepdims})


def var(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Variance over axes.

    Mean of the squared distances from the mean, computed without cancellation; exact up to the last division for
    integers of up to 16 bits. Integers give float64, complex numbers a real result.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    ddof : float, optional
        The sum of squares is divided by the number of elements minus ddof.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("var", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "ddof": ddof, "keepdims": keepdims})


def std(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Standard deviation over axes.

    The square root of the variance; see var.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    ddof : float, optional
        The sum of squares is divided by the number of elements minus ddof.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("std", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "ddof": ddof, "keepdims": keepdims})


def min(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Smallest element over axes.

    A NaN among the elements gives NaN. Complex numbers are ordered by their real, then by their imaginary part.
    An array without elements has no minimum and is refused.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("min", (x,), {"axis": axis, "keepdims": keepdims})


def max(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Largest element over axes.

    A NaN among the elements gives NaN. Complex numbers are ordered by their real, then by their imaginary part.
    An array without elements has no maximum and is refused.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("max", (x,), {"axis": axis, "keepdims": keepdims})


def ptp(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Largest minus smallest element over axes.

    The dtype is kept, so that the range of narrow integers may wrap around, as in NumPy. A NaN gives NaN.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("ptp", (x,), {"axis": axis, "keepdims": keepdims})


def argmin(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Index of the first smallest element.

    The first NaN counts as the smallest element, as in NumPy. Without axis the index counts in C order through
    the whole array.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        Axis to search along; by default the index counts through the whole array in C order.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("argmin", (x,), {"axis": axis, "keepdims": keepdims})


def argmax(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Index of the first largest element.

    The first NaN counts as the largest element, as in NumPy. Without axis the index counts in C order through the
    whole array.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        Axis to search along; by default the index counts through the whole array in C order.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("argmax", (x,), {"axis": axis, "keepdims": keepdims})


def any(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """True where any element over axes is not zero.

    NaN is not zero. Of nothing it is false. The result is bool.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("any", (x,), {"axis": axis, "keepdims": keepdims})


def all(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """True where no element over axes is zero.

    NaN is not zero. Of nothing it is true. The result is bool.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("all", (x,), {"axis": axis, "keepdims": keepdims})


def nansum(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Sum of elements over axes, with NaN as zero.

    As sum; a sum of NaNs only is 0.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("nansum", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "keepdims": keepdims})


def nanprod(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Product of elements over axes, with NaN as one.

    As prod; a product of NaNs only is 1.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("nanprod", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "keepdims": keepdims})


def nanmean(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Arithmetic mean over axes, without NaNs.

    As mean over the elements that are not NaN; NaN where there are none.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("nanmean", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "keepdims": keepdims})


def nanvar(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Variance over axes, without NaNs.

    As var over the elements that are not NaN; NaN where there are no more than ddof of them.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    ddof : float, optional
        The sum of squares is divided by the number of elements minus ddof.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("nanvar", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "ddof": ddof, "keepdims": keepdims})


def nanstd(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Standard deviation over axes, without NaNs.

    As std over the elements that are not NaN; NaN where there are no more than ddof of them.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    dtype : dtype, optional
        Dtype of the result; as NumPy by default.
    ddof : float, optional
        The sum of squares is divided by the number of elements minus ddof.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("nanstd", (x,), {"axis": axis, "dtype": optional_dtype(dtype), "ddof": ddof, "keepdims": keepdims})


def nanmin(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Smallest element over axes, without NaNs.

    As min over the elements that are not NaN; NaN where there are none.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("nanmin", (x,), {"axis": axis, "keepdims": keepdims})


def nanmax(x: Any, axis: Any = None, keepdims: Any = False, split_every: Any = None, out: Any = None) -> Any:
    """Largest element over axes, without NaNs.

    As max over the elements that are not NaN; NaN where there are none.

    Parameters
    ----------
    x : array_like
    axis : int or list of int, optional
        Axes to reduce; all by default.
    keepdims : bool, optional
        Leave reduced axes in place with length 1.

    Returns
    -------
    Array
    """
    return call("nanmax", (x,), {"axis": axis, "keepdims": keepdims})


def fft(x: Any, n: Any = None, axis: Any = -1, norm: Any = 'backward') -> Any:
    """Discrete Fourier transform along one axis.

    Single precision stays single (complex64), everything else becomes complex128, as in NumPy 2. The whole axis
    is read for any part of it.

    Parameters
    ----------
    x : array_like
    n : int, optional
        Length of the transformed axis: a longer input is cropped, a shorter one filled up with zeros.
    axis : int, optional
        The axis to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("fft", (x,), {"n": n, "axis": axis, "norm": norm})


def ifft(x: Any, n: Any = None, axis: Any = -1, norm: Any = 'backward') -> Any:
    """Inverse discrete Fourier transform along one axis.

    The inverse of fft with the same norm. Dtypes as for fft.

    Parameters
    ----------
    x : array_like
    n : int, optional
        Length of the transformed axis: a longer input is cropped, a shorter one filled up with zeros.
    axis : int, optional
        The axis to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("ifft", (x,), {"n": n, "axis": axis, "norm": norm})


def rfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = 'backward') -> Any:
    """Discrete Fourier transform of real values along one axis.

    The first n // 2 + 1 values; the others are their conjugates. float16 and float32 give complex64, everything
    else complex128. Complex input is an error.

    Parameters
    ----------
    x : array_like
    n : int, optional
        Length of the transformed axis: a longer input is cropped, a shorter one filled up with zeros.
    axis : int, optional
        The axis to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("rfft", (x,), {"n": n, "axis": axis, "norm": norm})


def irfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = 'backward') -> Any:
    """Real values from the first half of their Fourier transform.

    The inverse of rfft; n is 2 * (length - 1) by default, so an odd length must be given. The imaginary part of
    the first value, and of the last one for even n, is ignored. complex64 gives float32, complex128 float64.

    Parameters
    ----------
    x : array_like
    n : int, optional
        Length of the transformed axis: a longer input is cropped, a shorter one filled up with zeros.
    axis : int, optional
        The axis to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("irfft", (x,), {"n": n, "axis": axis, "norm": norm})


def hfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = 'backward') -> Any:
    """Real spectrum of a Hermitian signal, given by its first half.

    As irfft of the conjugate, scaled as a forward transform; n is 2 * (length - 1) by default.

    Parameters
    ----------
    x : array_like
    n : int, optional
        Length of the transformed axis: a longer input is cropped, a shorter one filled up with zeros.
    axis : int, optional
        The axis to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("hfft", (x,), {"n": n, "axis": axis, "norm": norm})


def ihfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = 'backward') -> Any:
    """First half of the Hermitian signal whose spectrum is real.

    The inverse of hfft: the conjugate of rfft, scaled as an inverse transform.

    Parameters
    ----------
    x : array_like
    n : int, optional
        Length of the transformed axis: a longer input is cropped, a shorter one filled up with zeros.
    axis : int, optional
        The axis to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("ihfft", (x,), {"n": n, "axis": axis, "norm": norm})


def fft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = 'backward') -> Any:
    """Discrete Fourier transform along two axes.

    fft along each of two axes, the last first.

    Parameters
    ----------
    x : array_like
    s : list of int, optional
        Length of the transform on each of the axes; -1 for that of the input.
    axes : list of int, optional
        The axes to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("fft2", (x,), {"s": s, "axes": axes, "norm": norm})


def ifft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = 'backward') -> Any:
    """Inverse discrete Fourier transform along two axes.

    ifft along each of two axes, the last first.

    Parameters
    ----------
    x : array_like
    s : list of int, optional
        Length of the transform on each of the axes; -1 for that of the input.
    axes : list of int, optional
        The axes to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("ifft2", (x,), {"s": s, "axes": axes, "norm": norm})


def fftn(x: Any, s: Any = None, axes: Any = None, norm: Any = 'backward') -> Any:
    """Discrete Fourier transform along several axes.

    fft along each axis, the last first.

    Parameters
    ----------
    x : array_like
    s : list of int, optional
        Length of the transform on each of the axes; -1 for that of the input.
    axes : list of int, optional
        The axes to transform: all by default, or the last ones where s is given.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("fftn", (x,), {"s": s, "axes": axes, "norm": norm})


def ifftn(x: Any, s: Any = None, axes: Any = None, norm: Any = 'backward') -> Any:
    """Inverse discrete Fourier transform along several axes.

    ifft along each axis, the last first.

    Parameters
    ----------
    x : array_like
    s : list of int, optional
        Length of the transform on each of the axes; -1 for that of the input.
    axes : list of int, optional
        The axes to transform: all by default, or the last ones where s is given.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("ifftn", (x,), {"s": s, "axes": axes, "norm": norm})


def rfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = 'backward') -> Any:
    """Discrete Fourier transform of real values along two axes.

    rfft along the last of the axes, then fft along the others.

    Parameters
    ----------
    x : array_like
    s : list of int, optional
        Length of the transform on each of the axes; -1 for that of the input.
    axes : list of int, optional
        The axes to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("rfft2", (x,), {"s": s, "axes": axes, "norm": norm})


def irfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = 'backward') -> Any:
    """Real values from the half of their Fourier transform along two axes.

    ifft along the first axis, then irfft along the second. The last entry of s is the length of the result there,
    which is even by default.

    Parameters
    ----------
    x : array_like
    s : list of int, optional
        Length of the transform on each of the axes; -1 for that of the input.
    axes : list of int, optional
        The axes to transform.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("irfft2", (x,), {"s": s, "axes": axes, "norm": norm})


def rfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = 'backward') -> Any:
    """Discrete Fourier transform of real values along several axes.

    rfft along the last of the axes, then fft along the others.

    Parameters
    ----------
    x : array_like
    s : list of int, optional
        Length of the transform on each of the axes; -1 for that of the input.
    axes : list of int, optional
        The axes to transform: all by default, or the last ones where s is given.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("rfftn", (x,), {"s": s, "axes": axes, "norm": norm})


def irfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = 'backward') -> Any:
    """Real values from the half of their Fourier transform along several axes.

    ifft along all axes but the last, then irfft along that one. The last entry of s is the length of the result
    there, which is even by default.

    Parameters
    ----------
    x : array_like
    s : list of int, optional
        Length of the transform on each of the axes; -1 for that of the input.
    axes : list of int, optional
        The axes to transform: all by default, or the last ones where s is given.
    norm : "backward", "ortho" or "forward", optional
        Which direction is divided by the length: inverse, both by its square root, or forward.

    Returns
    -------
    Array
    """
    return call("irfftn", (x,), {"s": s, "axes": axes, "norm": norm})


def fftshift(x: Any, axes: Any = None) -> Any:
    """Moves the zero frequency to the middle of the axes.

    Each axis is rolled by half of its length, rounded down.

    Parameters
    ----------
    x : array_like
    axes : int or list of int, optional
        The axes to shift; all by default.

    Returns
    -------
    Array
    """
    return call("fftshift", (x,), {"axes": axes})


def ifftshift(x: Any, axes: Any = None) -> Any:
    """Moves the zero frequency back to the front: the inverse of fftshift.

    Each axis is rolled back by half of its length, rounded down; differs from fftshift for odd lengths.

    Parameters
    ----------
    x : array_like
    axes : int or list of int, optional
        The axes to shift; all by default.

    Returns
    -------
    Array
    """
    return call("ifftshift", (x,), {"axes": axes})


def matmul(a: Any, b: Any) -> Any:
    """Matrix product, over stacks of matrices where there are more axes.

    As NumPy: a 1-d array is a row on the left and a column on the right and loses that axis in the result;
    leading axes broadcast. Integers wrap around, booleans are a logical or of ands, float16 is summed in float32.
    Long sums are computed in blocks whose number follows from the shapes alone.

    Parameters
    ----------
    a : array_like
    b : array_like

    Returns
    -------
    Array
    """
    return call("matmul", (a, b,))


def contract(x1: Any, x2: Any, a: Any, b: Any, out: Any) -> Any:
    """Product of two arrays, summed over the axes they share and the result has not.

    What matmul, dot, tensordot, inner and outer consist of; the letters are those of einsum. Integers wrap
    around, booleans are a logical or of ands. Sums of more than 4096 terms are computed in blocks and added in a
    fixed order.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like
    a : text
        One letter per axis of the first array.
    b : text
        One letter per axis of the second array.
    out : text
        One letter per axis of the result.

    Returns
    -------
    Array
    """
    return call("contract", (x1, x2,), {"a": a, "b": b, "out": out})


def contract_part(x1: Any, x2: Any, a: Any, b: Any, out: Any, axis: Any, block: Any) -> Any:
    """Product of two arrays, with one result per block of a long sum.

    The first axis of the result counts the blocks. Internal: a step of contract.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like
    a : text
        One letter per axis of the first array.
    b : text
        One letter per axis of the second array.
    out : text
        One letter per axis of the result.
    axis : int
        The axis of the first array that is cut into blocks.
    block : int
        Terms per block.

    Returns
    -------
    Array
    """
    return call("contract_part", (x1, x2,), {"a": a, "b": b, "out": out, "axis": axis, "block": block})


def correlate1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0) -> Any:
    """Weighted sums of neighbours along one axis.

    As scipy.ndimage: sums in double precision, integers cut off towards zero, complex numbers part by part.
    float32 with at most 65 weights between 0 and 1 is summed in single precision.

    Parameters
    ----------
    input : array_like
    weights : list of float
        One weight per position of the window.
    axis : int, optional
        The axis to filter along.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int, optional
        How far the window is moved along the axis.

    Returns
    -------
    Array
    """
    return call("correlate1d", (input,), {"weights": weights, "axis": axis, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin})


def convolve1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0) -> Any:
    """Convolution with a row of weights along one axis.

    As scipy.ndimage: correlate1d with the weights turned around.

    Parameters
    ----------
    input : array_like
    weights : list of float
        One weight per position of the window.
    axis : int, optional
        The axis to filter along.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int, optional
        How far the window is moved along the axis.

    Returns
    -------
    Array
    """
    return call("convolve1d", (input,), {"weights": weights, "axis": axis, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin})


def gaussian_filter1d(input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, truncate: Any = 4.0, radius: Any = None) -> Any:
    """Gaussian smoothing, or a derivative of it, along one axis.

    As scipy.ndimage: the result has the dtype of the input; sums are double, integers are cut off towards zero.
    float32 without derivative and with a radius up to 32 is summed in single precision (relative error below
    1e-6).

    Parameters
    ----------
    input : array_like
    sigma : float
        Standard deviation, in elements.
    axis : int, optional
        The axis to filter along.
    order : int, optional
        Order of the derivative; 0 smooths.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    truncate : float, optional
        Where the window ends, in standard deviations.
    radius : int, optional
        Where the window ends, in elements; replaces truncate.

    Returns
    -------
    Array
    """
    return call("gaussian_filter1d", (input,), {"sigma": sigma, "axis": axis, "order": order, "output": optional_dtype(output), "mode": mode, "cval": cval, "truncate": truncate, "radius": radius})


def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, truncate: Any = 4.0, radius: Any = None, axes: Any = None) -> Any:
    """Gaussian smoothing, or derivatives of it, along several axes.

    As scipy.ndimage: gaussian_filter1d along one axis after the other, each stored in the dtype of the result, so
    integers are cut off towards zero after every axis; use output="float32" to avoid that. Integers equal scipy's
    to the last bit (for derivatives from the second on, up to the last bit of the weights), float32 to 1e-6,
    float64 to 1e-12. Also takes float16, which scipy does not.

    Parameters
    ----------
    input : array_like
    sigma : float or list of float
        Standard deviation in elements, for all axes or for each.
    order : int or list of int, optional
        Order of the derivative along each axis; 0 smooths.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    truncate : float, optional
        Where the window ends, in standard deviations.
    radius : int or list of int, optional
        Where the window ends, in elements; replaces truncate.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("gaussian_filter", (input,), {"sigma": sigma, "order": order, "output": optional_dtype(output), "mode": mode, "cval": cval, "truncate": truncate, "radius": radius, "axes": axes})


def sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0) -> Any:
    """Sobel's differences along one axis, smoothed along the others.

    As scipy.ndimage: differences along one axis, then sums with the weights 1, 2, 1 along the others, each stored
    in the dtype of the result: unsigned numbers wrap around below zero; use output="float32" to avoid that.

    Parameters
    ----------
    input : array_like
    axis : int, optional
        The axis to filter along.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".

    Returns
    -------
    Array
    """
    return call("sobel", (input,), {"axis": axis, "output": optional_dtype(output), "mode": mode, "cval": cval})


def prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0) -> Any:
    """Prewitt's differences along one axis, smoothed along the others.

    As scipy.ndimage: differences along one axis, then sums of three along the others, each stored in the dtype of
    the result: unsigned numbers wrap around below zero; use output="float32" to avoid that.

    Parameters
    ----------
    input : array_like
    axis : int, optional
        The axis to filter along.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".

    Returns
    -------
    Array
    """
    return call("prewitt", (input,), {"axis": axis, "output": optional_dtype(output), "mode": mode, "cval": cval})


def laplace(input: Any, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, axes: Any = None) -> Any:
    """Sum of second differences along the axes.

    As scipy.ndimage: the weights 1, -2, 1 along each axis, each stored in the dtype of the result, and added in
    it.

    Parameters
    ----------
    input : array_like
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("laplace", (input,), {"output": optional_dtype(output), "mode": mode, "cval": cval, "axes": axes})


def gaussian_laplace(input: Any, sigma: Any, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, axes: Any = None, truncate: Any = 4.0, radius: Any = None) -> Any:
    """Sum of second derivatives of a Gaussian along the axes.

    As scipy.ndimage: one gaussian_filter per axis, each stored in the dtype of the result, and added in it. Each
    uses the border of the axis it derives along for all axes.

    Parameters
    ----------
    input : array_like
    sigma : float or list of float
        Standard deviation in elements, for all axes or for each.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    axes : int or list of int, optional
        The axes to filter; all by default.
    truncate : float, optional
        Where the window ends, in standard deviations.
    radius : int or list of int, optional
        Where the window ends, in elements; replaces truncate.

    Returns
    -------
    Array
    """
    return call("gaussian_laplace", (input,), {"sigma": sigma, "output": optional_dtype(output), "mode": mode, "cval": cval, "axes": axes, "truncate": truncate, "radius": radius})


def gaussian_gradient_magnitude(input: Any, sigma: Any, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, axes: Any = None, truncate: Any = 4.0, radius: Any = None) -> Any:
    """Length of the gradient of a Gaussian.

    As scipy.ndimage: one gaussian_filter per axis, each stored in the dtype of the result, where squares are
    added, too: whole numbers may wrap around; use output="float32" to avoid that. Each uses the border of the
    axis it derives along for all axes, and smooths along all axes, also those that are not among axes.

    Parameters
    ----------
    input : array_like
    sigma : float or list of float
        Standard deviation in elements, for all axes or for each.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    axes : int or list of int, optional
        The axes to filter; all by default.
    truncate : float, optional
        Where the window ends, in standard deviations.
    radius : int or list of int, optional
        Where the window ends, in elements; replaces truncate.

    Returns
    -------
    Array
    """
    return call("gaussian_gradient_magnitude", (input,), {"sigma": sigma, "output": optional_dtype(output), "mode": mode, "cval": cval, "axes": axes, "truncate": truncate, "radius": radius})


def uniform_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0) -> Any:
    """Mean of the window along one axis.

    As scipy.ndimage: integers are cut off towards zero, complex numbers are averaged part by part. Sums are exact
    for integers below 2^53 and double precision for floats, added up in an order of their own (relative error
    below 1e-15 for float64).

    Parameters
    ----------
    input : array_like
    size : int
        Positions of the window.
    axis : int, optional
        The axis to filter along.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int, optional
        How far the window is moved along the axis.

    Returns
    -------
    Array
    """
    return call("uniform_filter1d", (input,), {"size": size, "axis": axis, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin})


def uniform_filter(input: Any, size: Any = 3, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Mean of a box around each element.

    As scipy.ndimage: uniform_filter1d along one axis after the other, each stored in the dtype of the result, so
    integers are cut off towards zero after every axis; use output="float32" to avoid that.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Positions of the window, for all axes or for each.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("uniform_filter", (input,), {"size": size, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def minimum_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0) -> Any:
    """Smallest element of the window along one axis.

    As scipy.ndimage. Compares elements in their own type, so 64-bit integers stay exact. A NaN in the window
    gives NaN. Complex numbers are refused.

    Parameters
    ----------
    input : array_like
    size : int
        Positions of the window.
    axis : int, optional
        The axis to filter along.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int, optional
        How far the window is moved along the axis.

    Returns
    -------
    Array
    """
    return call("minimum_filter1d", (input,), {"size": size, "axis": axis, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin})


def maximum_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0) -> Any:
    """Largest element of the window along one axis.

    As scipy.ndimage. Compares elements in their own type, so 64-bit integers stay exact. A NaN in the window
    gives NaN. Complex numbers are refused.

    Parameters
    ----------
    input : array_like
    size : int
        Positions of the window.
    axis : int, optional
        The axis to filter along.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int, optional
        How far the window is moved along the axis.

    Returns
    -------
    Array
    """
    return call("maximum_filter1d", (input,), {"size": size, "axis": axis, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin})


def minimum_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Smallest element of a window around each element.

    As scipy.ndimage, for every dtype but complex. A box is taken apart into one axis after the other. A NaN in a
    box gives NaN; in other footprints NaN counts as larger than every number.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("minimum_filter", (input,), {"size": size, "footprint": footprint, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def maximum_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Largest element of a window around each element.

    As scipy.ndimage, for every dtype but complex. A box is taken apart into one axis after the other. A NaN in a
    box gives NaN; in other footprints NaN counts as larger than every number.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("maximum_filter", (input,), {"size": size, "footprint": footprint, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def rank_filter(input: Any, rank: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Element of the window at a given place in the order of its elements.

    As scipy.ndimage, for every dtype but complex. Elements are compared in their own type, so 64-bit integers
    stay exact. NaN counts as larger than every number.

    Parameters
    ----------
    input : array_like
    rank : int
        How many elements of the window come before; -1 is the largest.
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("rank_filter", (input,), {"rank": rank, "size": size, "footprint": footprint, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def median_filter(input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Median of a window around each element.

    As scipy.ndimage: the middle element of the window in order; the upper one of both middle elements where their
    number is even. NaN counts as larger than every number.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("median_filter", (input,), {"size": size, "footprint": footprint, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def percentile_filter(input: Any, percentile: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Percentile of a window around each element.

    As scipy.ndimage: the element with percentile/100 of the window before it, without interpolation; negative
    percentiles count from 100. NaN counts as larger than every number.

    Parameters
    ----------
    input : array_like
    percentile : float
        Share of the window that comes before, in percent.
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("percentile_filter", (input,), {"percentile": percentile, "size": size, "footprint": footprint, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def correlate(input: Any, weights: Any, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Weighted sums of the neighbours of each element.

    As scipy.ndimage: sums in double precision, weights of zero left out, integers cut off towards zero, complex
    numbers part by part. Weights are real. Where there are many weights, sums of floats are computed by Fourier
    transforms of blocks, in double precision: to 1e-13 of the largest value times the sum of the weights; NaN and
    infinity reach no farther than the window.

    Parameters
    ----------
    input : array_like
    weights : nested list of float
        One weight per position of the window.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("correlate", (input,), {"weights": weights, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def convolve(input: Any, weights: Any, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Convolution with weights over several axes.

    As scipy.ndimage: correlate with the weights turned around.

    Parameters
    ----------
    input : array_like
    weights : nested list of float
        One weight per position of the window.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes to filter; all by default.

    Returns
    -------
    Array
    """
    return call("convolve", (input,), {"weights": weights, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def grey_erosion(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Smallest value of a window around each element, with heights subtracted.

    As scipy.ndimage, for every dtype but complex.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    structure : nested list of float, optional
        Heights over the window, which dilations add and erosions subtract.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes; all by default.

    Returns
    -------
    Array
    """
    return call("grey_erosion", (input,), {"size": size, "footprint": footprint, "structure": structure, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def grey_dilation(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Largest value of a mirrored window around each element, with heights added.

    As scipy.ndimage, for every dtype but complex.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    structure : nested list of float, optional
        Heights over the window, which dilations add and erosions subtract.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes; all by default.

    Returns
    -------
    Array
    """
    return call("grey_dilation", (input,), {"size": size, "footprint": footprint, "structure": structure, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def grey_opening(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Erosion, then dilation: takes away what is brighter and smaller than the window.

    As scipy.ndimage, for every dtype but complex.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    structure : nested list of float, optional
        Heights over the window, which dilations add and erosions subtract.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes; all by default.

    Returns
    -------
    Array
    """
    return call("grey_opening", (input,), {"size": size, "footprint": footprint, "structure": structure, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def grey_closing(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Dilation, then erosion: takes away what is darker and smaller than the window.

    As scipy.ndimage, for every dtype but complex.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    structure : nested list of float, optional
        Heights over the window, which dilations add and erosions subtract.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes; all by default.

    Returns
    -------
    Array
    """
    return call("grey_closing", (input,), {"size": size, "footprint": footprint, "structure": structure, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def white_tophat(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """What an opening takes away: what is brighter and smaller than the window.

    As scipy.ndimage, for every dtype but complex. For truth values, what changed.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    structure : nested list of float, optional
        Heights over the window, which dilations add and erosions subtract.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes; all by default.

    Returns
    -------
    Array
    """
    return call("white_tophat", (input,), {"size": size, "footprint": footprint, "structure": structure, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def black_tophat(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """What a closing adds: what is darker and smaller than the window.

    As scipy.ndimage, for every dtype but complex. For truth values, what changed.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    structure : nested list of float, optional
        Heights over the window, which dilations add and erosions subtract.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes; all by default.

    Returns
    -------
    Array
    """
    return call("black_tophat", (input,), {"size": size, "footprint": footprint, "structure": structure, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def morphological_gradient(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Dilation minus erosion.

    As scipy.ndimage, for every dtype but complex.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    structure : nested list of float, optional
        Heights over the window, which dilations add and erosions subtract.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes; all by default.

    Returns
    -------
    Array
    """
    return call("morphological_gradient", (input,), {"size": size, "footprint": footprint, "structure": structure, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def morphological_laplace(input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None, mode: Any = 'reflect', cval: Any = 0.0, origin: Any = 0, axes: Any = None) -> Any:
    """Dilation plus erosion minus twice the input.

    As scipy.ndimage, for every dtype but complex.

    Parameters
    ----------
    input : array_like
    size : int or list of int, optional
        Lengths of the window, for all axes or for each; not needed with footprint.
    footprint : nested list of 0 and 1, or a name such as "ball(3)", optional
        Which positions belong to the window; replaces size.
    structure : nested list of float, optional
        Heights over the window, which dilations add and erosions subtract.
    output : dtype, optional
        Element type of the result; that of the input by default.
    mode : "reflect", "mirror", "nearest", "constant", "wrap" or "valid", optional
        What lies beyond the border: d c b a | a b c d | d c b a; d c b | a b c d | c b a; the last value;
        cval; the other side; or nothing, which makes the result shorter by the halo.
    cval : number, optional
        The value beyond the border for mode "constant".
    origin : int or list of int, optional
        How far the window is moved, for all axes or for each.
    axes : int or list of int, optional
        The axes; all by default.

    Returns
    -------
    Array
    """
    return call("morphological_laplace", (input,), {"size": size, "footprint": footprint, "structure": structure, "output": optional_dtype(output), "mode": mode, "cval": cval, "origin": origin, "axes": axes})


def expand_labels(label_image: Any, distance: Any = 1, spacing: Any = 1) -> Any:
    """Labels that grow into the background up to some distance, without growing into each other.

    As skimage.segmentation: each background element gets the label of the nearest labelled one, if that is not
    farther than the distance. Of labels that are equally near, the same one is chosen. A task reads its box and
    as much around it as the distance.

    Parameters
    ----------
    label_image : array_like
    distance : float, optional
        How far labels grow.
    spacing : float or list of float, optional
        Distance of neighbours, for all axes or for each.

    Returns
    -------
    Array
    """
    return call("expand_labels", (label_image,), {"distance": distance, "spacing": spacing})


__all__ = ['abs', 'absolute', 'add', 'all', 'angle', 'any', 'arccos', 'arccosh', 'arcsin', 'arcsinh', 'arctan', 'arctan2', 'arctanh', 'argmax', 'argmin', 'bitwise_and', 'bitwise_count', 'bitwise_invert', 'bitwise_left_shift', 'bitwise_not', 'bitwise_or', 'bitwise_right_shift', 'bitwise_xor', 'cbrt', 'ceil', 'conj', 'conjugate', 'copysign', 'cos', 'cosh', 'deg2rad', 'degrees', 'divide', 'equal', 'exp', 'exp2', 'expm1', 'fabs', 'float_power', 'floor', 'floor_divide', 'fmax', 'fmin', 'fmod', 'gcd', 'greater', 'greater_equal', 'heaviside', 'hypot', 'imag', 'invert', 'isclose', 'isfinite', 'isinf', 'isnan', 'lcm', 'ldexp', 'left_shift', 'less', 'less_equal', 'log', 'log10', 'log1p', 'log2', 'logaddexp', 'logaddexp2', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'matmul', 'max', 'maximum', 'mean', 'min', 'minimum', 'mod', 'multiply', 'nan_to_num', 'nanmax', 'nanmean', 'nanmin', 'nanprod', 'nanstd', 'nansum', 'nanvar', 'negative', 'nextafter', 'not_equal', 'positive', 'power', 'prod', 'ptp', 'rad2deg', 'radians', 'ravel', 'real', 'reciprocal', 'remainder', 'right_shift', 'rint', 'sign', 'signbit', 'sin', 'sinc', 'sinh', 'spacing', 'sqrt', 'square', 'std', 'subtract', 'sum', 'swapaxes', 'tan', 'tanh', 'true_divide', 'trunc', 'var']
