//! `power`

use voxmill_core::{DType, Error, Result, Scalar};
use voxmill_plan::{Array, What};

use crate::family::map::kernels::{binary_kernel, ufunc};
use crate::family::map::{self, Operand, Signature, Ufunc, rules};
use crate::numeric::complex;
use crate::numeric::integer::Integer;

ufunc! {
    "power"("x1", "x2"), cost 15.0,
    "Raises the first array to the powers in the second.",
    "Integers wrap around and booleans count as int8. An integer to a bare negative number is an error, as in \
     NumPy; negative exponents in an integer array, which NumPy refuses while it runs, give the whole part of the \
     fraction: 1 for the base 1, 1 or -1 for the base -1, else 0. Complex numbers are computed in double \
     precision; whole exponents below 100 multiply. A single exponent of 2 squares. Difference from NumPy: a bare \
     exponent of 0.5 is an ordinary power, not a square root, which differs for -0.0 and -inf.",
    samples: || map::samples(2, &DType::ALL, 0.0, 6.0),
    signature: signature,
    kernel: |ins| {
        binary_kernel!(ins, int T |a, b| a.power(b), float T |a, b| a.powf(b), wide |a, b| complex::power(a, b))
    },
    simpler: simpler,
}

/// The usual exponents cost a tenth as multiplications.
fn simpler(ins: &[Array]) -> Result<Option<Array>> {
    let exponent = match ins[1].what() {
        What::Literal(Scalar::Int(n)) => *n as f64,
        What::Literal(Scalar::Float(v)) => *v,
        _ => return Ok(None),
    };
    match exponent {
        1.0 => Ok(Some(ins[0].clone())),
        2.0 => Ufunc::call(&super::square::DEF, &[&ins[0]]).map(Some),
        _ => Ok(None),
    }
}

/// A bare negative exponent has no integer result, which is known before anything runs.
fn signature(ins: &[Operand]) -> Result<Signature> {
    let signature = rules::bool_as_int8(ins)?;
    match ins[1].weak {
        Some(Scalar::Int(exponent)) if exponent < 0 && signature.out.is_integer() => Err(Error::invalid(format!(
            "integers to the power {exponent} are not integers; cast the array to a float type, or use float_power"
        ))),
        _ => Ok(signature),
    }
}
