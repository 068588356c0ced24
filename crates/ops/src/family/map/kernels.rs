//! Builders of kernels: one arm per kind of number; half floats are computed in `f32`, and complex functions in double precision.

use voxmill_core::{B8, Complex32, Complex64, bf16, f16};

use crate::numeric::halves::Half;

/// What becomes of a computed value in an array of `T`: half floats are rounded, truth values become bytes.
pub trait Finish<T> {
    /// The element of the result.
    type Out;
    /// The finished element.
    fn finish(self) -> Self::Out;
}

impl<T> Finish<T> for bool {
    type Out = B8;
    #[inline(always)]
    fn finish(self) -> B8 {
        B8::from(self)
    }
}

impl<T: Half> Finish<T> for f32 {
    type Out = T;
    #[inline(always)]
    fn finish(self) -> T {
        T::down(self)
    }
}

macro_rules! finish_as_is {
    ($($t:ty),*) => {$(
        impl Finish<$t> for $t {
            type Out = $t;
            #[inline(always)]
            fn finish(self) -> $t {
                self
            }
        }
    )*};
}

finish_as_is!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, f16, bf16, Complex32, Complex64);

macro_rules! finish_part {
    ($($c:ty => $t:ty),*) => {$(
        impl Finish<$c> for $t {
            type Out = $t;
            #[inline(always)]
            fn finish(self) -> $t {
                self
            }
        }
    )*};
}

finish_part!(Complex32 => f32, Complex64 => f64);

impl Finish<Complex32> for Complex64 {
    type Out = Complex32;
    #[inline(always)]
    fn finish(self) -> Complex32 {
        Complex32::new(self.re as f32, self.im as f32)
    }
}

/// A complex number in double precision.
pub trait Widen {
    /// The same value.
    fn widen(self) -> Complex64;
}

impl Widen for Complex32 {
    #[inline(always)]
    fn widen(self) -> Complex64 {
        Complex64::new(self.re.into(), self.im.into())
    }
}

impl Widen for Complex64 {
    #[inline(always)]
    fn widen(self) -> Complex64 {
        self
    }
}

/// A kernel of one input from one expression per kind, in this order, all optional: `bool |x|`, `int T |x|`, `float T |x|` (`T` is `f32`
/// or `f64`), `complex T |x|`, `wide |x|` (complex in double precision). Gives a `Result<MapKernel>`.
macro_rules! unary_kernel {
    ($ins:expr
        $(, bool |$b:ident| $bool:expr)?
        $(, int $I:ident |$i:ident| $int:expr)?
        $(, float $F:ident |$f:ident| $float:expr)?
        $(, complex $C:ident |$c:ident| $complex:expr)?
        $(, wide |$w:ident| $wide:expr)?
    ) => {{
        #[allow(unused_imports)]
        use $crate::{family::map::{self, kernels::{Finish, Widen}}, numeric::halves::Half};
        #[allow(unused_imports)]
        use voxmill_core::{B8, Complex32, Complex64, DType, bf16, dispatch, f16};
        match $ins[0] {
            $(DType::Bool => Ok(map::unary(|x: B8| { let $b = x.get(); Finish::<B8>::finish($bool) })),)?
            $(d if d.is_integer() => dispatch!(int d, $I => Ok(map::unary(|$i: $I| Finish::<$I>::finish($int))),
                else Err(map::no_kernel("op", $ins))),)?
            $(
                DType::F16 => { #[allow(dead_code)] type $F = f32;
                    Ok(map::unary(|x: f16| { let $f = x.up(); Finish::<f16>::finish($float) })) }
                DType::BF16 => { #[allow(dead_code)] type $F = f32;
                    Ok(map::unary(|x: bf16| { let $f = x.up(); Finish::<bf16>::finish($float) })) }
                DType::F32 => { #[allow(dead_code)] type $F = f32; Ok(map::unary(|$f: f32| Finish::<f32>::finish($float))) }
                DType::F64 => { #[allow(dead_code)] type $F = f64; Ok(map::unary(|$f: f64| Finish::<f64>::finish($float))) }
            )?
            $(d if d.is_complex() => dispatch!(complex d, $C => Ok(map::unary(|$c: $C| Finish::<$C>::finish($complex))),
                else Err(map::no_kernel("op", $ins))),)?
            $(d if d.is_complex() => dispatch!(complex d, C => Ok(map::unary(|x: C| {
                let $w = x.widen();
                Finish::<C>::finish($wide)
            })), else Err(map::no_kernel("op", $ins))),)?
            #[allow(unreachable_patterns)]
            _ => Err(map::no_kernel("op", $ins)),
        }
    }};
}
pub(crate) use unary_kernel;

/// As [`unary_kernel`], for two inputs of one dtype.
macro_rules! binary_kernel {
    ($ins:expr
        $(, bool |$ba:ident, $bb:ident| $bool:expr)?
        $(, int $I:ident |$ia:ident, $ib:ident| $int:expr)?
        $(, float $F:ident |$fa:ident, $fb:ident| $float:expr)?
        $(, complex $C:ident |$ca:ident, $cb:ident| $complex:expr)?
        $(, wide |$wa:ident, $wb:ident| $wide:expr)?
    ) => {{
        #[allow(unused_imports)]
        use $crate::{family::map::{self, kernels::{Finish, Widen}}, numeric::halves::Half};
        #[allow(unused_imports)]
        use voxmill_core::{B8, Complex32, Complex64, DType, bf16, dispatch, f16};
        match $ins[0] {
            $(DType::Bool => Ok(map::binary(|a: B8, b: B8| {
                let ($ba, $bb) = (a.get(), b.get());
                Finish::<B8>::finish($bool)
            })),)?
            $(d if d.is_integer() => dispatch!(int d, $I =>
                Ok(map::binary(|$ia: $I, $ib: $I| Finish::<$I>::finish($int))), else Err(map::no_kernel("op", $ins))),)?
            $(
                DType::F16 => { #[allow(dead_code)] type $F = f32; Ok(map::binary(|a: f16, b: f16| {
                    let ($fa, $fb) = (a.up(), b.up());
                    Finish::<f16>::finish($float)
                })) }
                DType::BF16 => { #[allow(dead_code)] type $F = f32; Ok(map::binary(|a: bf16, b: bf16| {
                    let ($fa, $fb) = (a.up(), b.up());
                    Finish::<bf16>::finish($float)
                })) }
                DType::F32 => { #[allow(dead_code)] type $F = f32;
                    Ok(map::binary(|$fa: f32, $fb: f32| Finish::<f32>::finish($float))) }
                DType::F64 => { #[allow(dead_code)] type $F = f64;
                    Ok(map::binary(|$fa: f64, $fb: f64| Finish::<f64>::finish($float))) }
            )?
            $(d if d.is_complex() => dispatch!(complex d, $C =>
                Ok(map::binary(|$ca: $C, $cb: $C| Finish::<$C>::finish($complex))), else Err(map::no_kernel("op", $ins))),)?
            $(d if d.is_complex() => dispatch!(complex d, C => Ok(map::binary(|a: C, b: C| {
                let ($wa, $wb) = (a.widen(), b.widen());
                Finish::<C>::finish($wide)
            })), else Err(map::no_kernel("op", $ins))),)?
            #[allow(unreachable_patterns)]
            _ => Err(map::no_kernel("op", $ins)),
        }
    }};
}
pub(crate) use binary_kernel;

/// A comparison: one expression for everything ordered, one for complex numbers. `uint64` and `int64` meet by value.
macro_rules! comparison_kernel {
    ($ins:expr, |$a:ident, $b:ident| $real:expr, complex |$ca:ident, $cb:ident| $complex:expr) => {
        match ($ins[0], $ins[1]) {
            (voxmill_core::DType::U64, voxmill_core::DType::I64) => Ok($crate::family::map::binary(|a: u64, b: i64| {
                let ($a, $b) = (i128::from(a), i128::from(b));
                voxmill_core::B8::from($real)
            })),
            (voxmill_core::DType::I64, voxmill_core::DType::U64) => Ok($crate::family::map::binary(|a: i64, b: u64| {
                let ($a, $b) = (i128::from(a), i128::from(b));
                voxmill_core::B8::from($real)
            })),
            _ => $crate::family::map::kernels::binary_kernel!($ins,
                bool |$a, $b| { let ($a, $b) = ($a as u8, $b as u8); $real },
                int T |$a, $b| $real, float T |$a, $b| $real, complex T |$ca, $cb| $complex),
        }
    };
}
pub(crate) use comparison_kernel;

/// An element-wise op without parameters: name and inputs, cost, summary, rules, samples, signature, kernel.
macro_rules! ufunc {
    (
        $name:literal ($($input:literal),+), cost $cost:expr,
        $summary:literal,
        $doc:expr,
        samples: $samples:expr,
        signature: $signature:expr,
        kernel: $kernel:expr
        $(, simpler: $simpler:expr)? $(,)?
    ) => {
        #[doc = $summary]
        pub static DEF: $crate::family::map::UfuncDef = $crate::family::map::UfuncDef {
            op: voxmill_plan::OpDef {
                name: $name,
                theme: "elementwise",
                summary: $summary,
                doc: $doc,
                inputs: voxmill_plan::Inputs::Named(&[$($input),+]),
                params: &[],
                form: voxmill_plan::Form::Map,
                cost: $cost,
                hold: false,
                build: |_| Ok(std::sync::Arc::new($crate::family::map::Ufunc(&DEF))),
                samples: $samples,
            },
            signature: $signature,
            kernel: $kernel,
            simpler: $crate::family::map::kernels::or_none!($($simpler)?),
        };
    };
}
pub(crate) use ufunc;

/// What is given, or a function that knows nothing simpler.
macro_rules! or_none {
    () => {
        |_| Ok(None)
    };
    ($simpler:expr) => {
        $simpler
    };
}
pub(crate) use or_none;

/// The same op under another name.
macro_rules! alias {
    ($name:literal, $of:path, $doc:expr) => {
        #[doc = $doc]
        pub static DEF: $crate::family::map::UfuncDef = $crate::family::map::UfuncDef {
            op: voxmill_plan::OpDef {
                name: $name,
                theme: "elementwise",
                summary: $of.op.summary,
                doc: $doc,
                inputs: $of.op.inputs,
                params: &[],
                form: voxmill_plan::Form::Map,
                cost: $of.op.cost,
                hold: false,
                build: |_| Ok(std::sync::Arc::new($crate::family::map::Ufunc(&DEF))),
                samples: $of.op.samples,
            },
            signature: $of.signature,
            kernel: $of.kernel,
            simpler: $of.simpler,
        };
    };
}
pub(crate) use alias;
