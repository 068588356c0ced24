//! Run-time choice of instruction set for loops that the compiler vectorises.
//!
//! The build runs on any x86-64 and on ARM; where the machine has AVX2, loops run in a copy compiled for it. Both copies give the same
//! bits: the compiler neither reorders floating-point sums nor contracts products by itself.
#![allow(unsafe_code)]

/// A loop that is compiled once per instruction set. Implementations mark `run` as `#[inline(always)]`.
pub trait Loop {
    /// What the loop gives back.
    type Output;
    /// The loop itself.
    fn run(self) -> Self::Output;
}

/// Runs `work` with the widest instruction set this machine has.
#[inline]
pub fn dispatch<L: Loop>(work: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2") {
            // SAFETY: the features were detected on this very machine.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
fn with_avx2<L: Loop>(work: L) -> L::Output {
    work.run()
}

/// `dst[i] = f(src[i])`.
#[inline]
pub fn map1<A: Copy, O, F: Fn(A) -> O>(src: &[A], dst: &mut [O], f: F) {
    struct Map1<'a, A, O, F>(&'a [A], &'a mut [O], F);
    impl<A: Copy, O, F: Fn(A) -> O> Loop for Map1<'_, A, O, F> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            for (o, a) in self.1.iter_mut().zip(self.0) {
                *o = (self.2)(*a);
            }
        }
    }
    dispatch(Map1(src, dst, f));
}

/// `dst[i] = f(a[i], b[i])`.
#[inline]
pub fn map2<A: Copy, B: Copy, O, F: Fn(A, B) -> O>(a: &[A], b: &[B], dst: &mut [O], f: F) {
    struct Map2<'a, A, B, O, F>(&'a [A], &'a [B], &'a mut [O], F);
    impl<A: Copy, B: Copy, O, F: Fn(A, B) -> O> Loop for Map2<'_, A, B, O, F> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            for ((o, a), b) in self.2.iter_mut().zip(self.0).zip(self.1) {
                *o = (self.3)(*a, *b);
            }
        }
    }
    dispatch(Map2(a, b, dst, f));
}

/// `dst[i] = f(a[i], b[i], c[i])`.
#[inline]
pub fn map3<A: Copy, B: Copy, C: Copy, O, F: Fn(A, B, C) -> O>(a: &[A], b: &[B], c: &[C], dst: &mut [O], f: F) {
    struct Map3<'a, A, B, C, O, F>(&'a [A], &'a [B], &'a [C], &'a mut [O], F);
    impl<A: Copy, B: Copy, C: Copy, O, F: Fn(A, B, C) -> O> Loop for Map3<'_, A, B, C, O, F> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            for (((o, a), b), c) in self.3.iter_mut().zip(self.0).zip(self.1).zip(self.2) {
                *o = (self.4)(*a, *b, *c);
            }
        }
    }
    dispatch(Map3(a, b, c, dst, f));
}
