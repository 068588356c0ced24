//! Element-wise ops: NumPy's ufuncs.

use voxmill_plan::OpDef;

pub mod abs;
pub mod absolute;
pub mod add;
pub mod angle;
pub mod arccos;
pub mod arccosh;
pub mod arcsin;
pub mod arcsinh;
pub mod arctan;
pub mod arctan2;
pub mod arctanh;
pub mod astype;
pub mod bitwise_and;
pub mod bitwise_count;
pub mod bitwise_invert;
pub mod bitwise_left_shift;
pub mod bitwise_not;
pub mod bitwise_or;
pub mod bitwise_right_shift;
pub mod bitwise_xor;
pub mod cbrt;
pub mod ceil;
pub mod clip;
pub mod conj;
pub mod conjugate;
pub mod copysign;
pub mod cos;
pub mod cosh;
pub mod deg2rad;
pub mod degrees;
pub mod divide;
pub mod equal;
pub mod exp;
pub mod exp2;
pub mod expm1;
pub mod fabs;
pub mod float_power;
pub mod floor;
pub mod floor_divide;
pub mod fmax;
pub mod fmin;
pub mod fmod;
pub mod gcd;
pub mod greater;
pub mod greater_equal;
pub mod heaviside;
pub mod hypot;
pub mod imag;
pub mod invert;
pub mod isclose;
pub mod isfinite;
pub mod isinf;
pub mod isnan;
pub mod lcm;
pub mod ldexp;
pub mod left_shift;
pub mod less;
pub mod less_equal;
pub mod log;
pub mod log10;
pub mod log1p;
pub mod log2;
pub mod logaddexp;
pub mod logaddexp2;
pub mod logical_and;
pub mod logical_not;
pub mod logical_or;
pub mod logical_xor;
pub mod maximum;
pub mod minimum;
pub mod modulo;
pub mod multiply;
pub mod nan_to_num;
pub mod negative;
pub mod nextafter;
pub mod not_equal;
pub mod positive;
pub mod power;
pub mod rad2deg;
pub mod radians;
pub mod real;
pub mod reciprocal;
pub mod remainder;
pub mod right_shift;
pub mod rint;
pub mod round;
pub mod sign;
pub mod signbit;
pub mod sin;
pub mod sinc;
pub mod sinh;
pub mod spacing;
pub mod sqrt;
pub mod square;
pub mod subtract;
pub mod tan;
pub mod tanh;
pub mod true_divide;
pub mod trunc;
pub mod where_op;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &abs::DEF.op,
    &absolute::DEF.op,
    &add::DEF.op,
    &angle::DEF,
    &arccos::DEF.op,
    &arccosh::DEF.op,
    &arcsin::DEF.op,
    &arcsinh::DEF.op,
    &arctan::DEF.op,
    &arctan2::DEF.op,
    &arctanh::DEF.op,
    &astype::DEF,
    &bitwise_and::DEF.op,
    &bitwise_count::DEF.op,
    &bitwise_invert::DEF.op,
    &bitwise_left_shift::DEF.op,
    &bitwise_not::DEF.op,
    &bitwise_or::DEF.op,
    &bitwise_right_shift::DEF.op,
    &bitwise_xor::DEF.op,
    &cbrt::DEF.op,
    &ceil::DEF.op,
    &clip::DEF,
    &conj::DEF.op,
    &conjugate::DEF.op,
    &copysign::DEF.op,
    &cos::DEF.op,
    &cosh::DEF.op,
    &deg2rad::DEF.op,
    &degrees::DEF.op,
    &divide::DEF.op,
    &equal::DEF.op,
    &exp::DEF.op,
    &exp2::DEF.op,
    &expm1::DEF.op,
    &fabs::DEF.op,
    &float_power::DEF.op,
    &floor::DEF.op,
    &floor_divide::DEF.op,
    &fmax::DEF.op,
    &fmin::DEF.op,
    &fmod::DEF.op,
    &gcd::DEF.op,
    &greater::DEF.op,
    &greater_equal::DEF.op,
    &heaviside::DEF.op,
    &hypot::DEF.op,
    &imag::DEF.op,
    &invert::DEF.op,
    &isclose::DEF,
    &isfinite::DEF.op,
    &isinf::DEF.op,
    &isnan::DEF.op,
    &lcm::DEF.op,
    &ldexp::DEF.op,
    &left_shift::DEF.op,
    &less::DEF.op,
    &less_equal::DEF.op,
    &log::DEF.op,
    &log10::DEF.op,
    &log1p::DEF.op,
    &log2::DEF.op,
    &logaddexp::DEF.op,
    &logaddexp2::DEF.op,
    &logical_and::DEF.op,
    &logical_not::DEF.op,
    &logical_or::DEF.op,
    &logical_xor::DEF.op,
    &maximum::DEF.op,
    &minimum::DEF.op,
    &modulo::DEF.op,
    &multiply::DEF.op,
    &nan_to_num::DEF,
    &negative::DEF.op,
    &nextafter::DEF.op,
    &not_equal::DEF.op,
    &positive::DEF.op,
    &power::DEF.op,
    &rad2deg::DEF.op,
    &radians::DEF.op,
    &real::DEF.op,
    &reciprocal::DEF.op,
    &remainder::DEF.op,
    &right_shift::DEF.op,
    &rint::DEF.op,
    &round::DEF,
    &sign::DEF.op,
    &signbit::DEF.op,
    &sin::DEF.op,
    &sinc::DEF.op,
    &sinh::DEF.op,
    &spacing::DEF.op,
    &sqrt::DEF.op,
    &square::DEF.op,
    &subtract::DEF.op,
    &tan::DEF.op,
    &tanh::DEF.op,
    &true_divide::DEF.op,
    &trunc::DEF.op,
    &where_op::DEF.op,
];
