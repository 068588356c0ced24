//! Medians of 9, 25 and 27 elements, the windows that everybody uses: the selection of `network` written out, so that all of it stays in
//! vector registers. For x86-64 with AVX2 and elements of up to 4 bytes; `network` does the rest.
#![allow(unsafe_code)]

use voxmill_ops::numeric::order::Key;

/// Fills `out` with the medians of the windows at `offsets`, if there is a way for their number, type and length.
pub fn medians<K: Key + 'static>(padded: &[K], offsets: &[usize], out: &mut [K]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if let Some(lanes) = x86::Lanes::of::<K>().filter(|lanes| lanes.per_vector() <= out.len()) {
        return x86::medians(lanes, padded, offsets, out);
    }
    let _ = (padded, offsets, out);
    false
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::any::TypeId;
    use std::arch::x86_64::*;

    use super::Key;

    /// The integers that a vector is made of.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Lanes {
        U8,
        I8,
        U16,
        I16,
        U32,
        I32,
    }

    impl Lanes {
        /// Those of `K`, where this machine has the instructions.
        pub fn of<K: Key + 'static>() -> Option<Lanes> {
            let kinds = [
                (TypeId::of::<u8>(), Lanes::U8),
                (TypeId::of::<i8>(), Lanes::I8),
                (TypeId::of::<u16>(), Lanes::U16),
                (TypeId::of::<i16>(), Lanes::I16),
                (TypeId::of::<u32>(), Lanes::U32),
                (TypeId::of::<i32>(), Lanes::I32),
            ];
            let own = kinds.iter().find(|(id, _)| *id == TypeId::of::<K>()).map(|(_, lanes)| *lanes);
            own.filter(|_| is_x86_feature_detected!("avx2"))
        }

        /// Elements of one vector.
        pub fn per_vector(self) -> usize {
            match self {
                Lanes::U8 | Lanes::I8 => 32,
                Lanes::U16 | Lanes::I16 => 16,
                Lanes::U32 | Lanes::I32 => 8,
            }
        }
    }

    /// As [`super::medians`], for at least one vector of elements of these lanes.
    pub fn medians<K: Key>(lanes: Lanes, padded: &[K], offsets: &[usize], out: &mut [K]) -> bool {
        let reach = offsets.iter().copied().max().unwrap_or(0);
        if !matches!(offsets.len(), 9 | 25 | 27) || reach + out.len() > padded.len() || out.len() < lanes.per_vector() {
            return false;
        }
        // SAFETY: `Lanes::of` found AVX2 on this machine and `K` to be the type of the lanes; windows end inside `padded`, and `out` has
        // room for a vector.
        unsafe {
            match lanes {
                Lanes::U8 => u8s(padded, offsets, out),
                Lanes::I8 => i8s(padded, offsets, out),
                Lanes::U16 => u16s(padded, offsets, out),
                Lanes::I16 => i16s(padded, offsets, out),
                Lanes::U32 => u32s(padded, offsets, out),
                Lanes::I32 => i32s(padded, offsets, out),
            }
        }
        true
    }

    /// Names one after the other become the elements of the window. Of those held, the smallest and the largest are forgotten, since neither
    /// can be the median; then the next element is taken in. Three are left in the end.
    macro_rules! select {
        ($min:ident $max:ident $load:ident [$a:ident $b:ident $c:ident] []) => {
            $max($min($a, $b), $min($max($a, $b), $c))
        };
        ($min:ident $max:ident $load:ident [$a:ident $b:ident $($rest:ident)*] [$next:ident=$n:literal $($more:tt)*]) => {{
            // The smallest goes to the first, the largest to the second.
            let ($a, $b) = ($min($a, $b), $max($a, $b));
            $( let ($a, $rest) = ($min($a, $rest), $max($a, $rest)); )*
            $( let ($rest, $b) = ($min($rest, $b), $max($rest, $b)); )*
            let _ = ($a, $b);
            let $next = $load($n);
            select!($min $max $load [$($rest)* $next] [$($more)*])
        }};
        ($min:ident $max:ident $load:ident [$a:ident $b:ident $($rest:ident)*] []) => {{
            let ($a, $b) = ($min($a, $b), $max($a, $b));
            $( let ($a, $rest) = ($min($a, $rest), $max($a, $rest)); )*
            $( let ($rest, $b) = ($min($rest, $b), $max($rest, $b)); )*
            let _ = ($a, $b);
            select!($min $max $load [$($rest)*] [])
        }};
    }

    /// Medians of rows of one type of lanes.
    macro_rules! medians {
        ($name:ident, $min:ident, $max:ident, $lanes:expr) => {
            #[target_feature(enable = "avx2")]
            fn $name<K: Key>(padded: &[K], offsets: &[usize], out: &mut [K]) {
                let width = $lanes.per_vector();
                let last = out.len() - width;
                for begin in (0..out.len()).step_by(width).map(|begin| begin.min(last)) {
                    // SAFETY: a vector at any offset from `begin` ends inside `padded`, as the caller has seen.
                    let load = |k: usize| unsafe { _mm256_loadu_si256(padded.as_ptr().add(begin + offsets[k]).cast()) };
                    let median = match offsets.len() {
                        9 => median_9(load),
                        25 => median_25(load),
                        _ => median_27(load),
                    };
                    // SAFETY: `begin` is at most one vector before the end of `out`.
                    unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(begin).cast(), median) };
                }

                #[inline(always)]
                fn low(a: __m256i, b: __m256i) -> __m256i {
                    // SAFETY: only called from within the function that has AVX2.
                    unsafe { $min(a, b) }
                }

                #[inline(always)]
                fn high(a: __m256i, b: __m256i) -> __m256i {
                    // SAFETY: only called from within the function that has AVX2.
                    unsafe { $max(a, b) }
                }

                #[inline(always)]
                fn median_9(load: impl Fn(usize) -> __m256i) -> __m256i {
                    let (a, b, c, d, e, f) = (load(0), load(1), load(2), load(3), load(4), load(5));
                    select!(low high load [a b c d e f] [g=6 h=7 i=8])
                }

                #[inline(always)]
                fn median_25(load: impl Fn(usize) -> __m256i) -> __m256i {
                    let (a, b, c, d, e, f, g) = (load(0), load(1), load(2), load(3), load(4), load(5), load(6));
                    let (h, i, j, k, l, m, n) = (load(7), load(8), load(9), load(10), load(11), load(12), load(13));
                    select!(low high load [a b c d e f g h i j k l m n]
                        [o=14 p=15 q=16 r=17 s=18 t=19 u=20 v=21 w=22 x=23 y=24])
                }

                #[inline(always)]
                fn median_27(load: impl Fn(usize) -> __m256i) -> __m256i {
                    let (a, b, c, d, e, f, g, h) =
                        (load(0), load(1), load(2), load(3), load(4), load(5), load(6), load(7));
                    let (i, j, k, l, m, n, o) = (load(8), load(9), load(10), load(11), load(12), load(13), load(14));
                    select!(low high load [a b c d e f g h i j k l m n o]
                        [p=15 q=16 r=17 s=18 t=19 u=20 v=21 w=22 x=23 y=24 z=25 zz=26])
                }
            }
        };
    }

    medians!(u8s, _mm256_min_epu8, _mm256_max_epu8, Lanes::U8);
    medians!(i8s, _mm256_min_epi8, _mm256_max_epi8, Lanes::I8);
    medians!(u16s, _mm256_min_epu16, _mm256_max_epu16, Lanes::U16);
    medians!(i16s, _mm256_min_epi16, _mm256_max_epi16, Lanes::I16);
    medians!(u32s, _mm256_min_epu32, _mm256_max_epu32, Lanes::U32);
    medians!(i32s, _mm256_min_epi32, _mm256_max_epi32, Lanes::I32);
}
