//! Random numbers as a function of seed and element number: no state, so that any box of a random array can be made alone.
//!
//! The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), the seed is its key. The
//! counter is (block number in 64 bits, attempt, stream): streams keep distributions apart that are drawn with one seed, attempts give
//! rejection methods fresh bits for the same element. Eight blocks are computed together, which makes 32 words of 32 bits, word `w` of
//! block `l` at place `8 w + l`; they serve `N` neighbouring elements.

use crate::numeric::simd::{self, Loop};

/// Which distribution the numbers are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Stream {
    /// `random_uniform`
    Uniform = 0,
    /// `random_normal`
    Normal = 1,
    /// `random_integers`
    Integers = 2,
    /// `random_poisson`
    Poisson = 3,
}

/// The random words behind `N` neighbouring elements.
pub type Words = [u32; 32];

/// Four words from one block.
pub fn block(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let many = blocks(counter.map(|c| [c; 8]), key);
    [many[0], many[8], many[16], many[24]]
}

/// Fresh words for element `index` in a further attempt (from 1 on) of a rejection method.
pub fn retry(seed: u64, stream: Stream, index: u64, attempt: u32) -> [u32; 4] {
    // The high bit keeps these counters apart from those of the first attempt, which count groups of elements.
    block([index as u32, (index >> 32) as u32, attempt, stream as u32 | 1 << 31], key_of(seed))
}

fn key_of(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

#[inline(always)]
fn blocks([mut c0, mut c1, mut c2, mut c3]: [[u32; 8]; 4], mut key: [u32; 2]) -> Words {
    for _ in 0..10 {
        for l in 0..8 {
            let p0 = c0[l] as u64 * 0xD251_1F53;
            let p1 = c2[l] as u64 * 0xCD9E_8D57;
            c0[l] = (p1 >> 32) as u32 ^ c1[l] ^ key[0];
            c1[l] = p1 as u32;
            c2[l] = (p0 >> 32) as u32 ^ c3[l] ^ key[1];
            c3[l] = p0 as u32;
        }
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    let mut words = [0; 32];
    words[..8].copy_from_slice(&c0);
    words[8..16].copy_from_slice(&c1);
    words[16..24].copy_from_slice(&c2);
    words[24..].copy_from_slice(&c3);
    words
}

/// Fills `out` with the elements from number `start` on. `make` turns 32 words into `N` elements, of which the first has the number
/// that comes with the words.
pub fn fill<T: Copy + Default, const N: usize>(
    seed: u64,
    stream: Stream,
    start: usize,
    out: &mut [T],
    make: impl Fn(&Words, u64, &mut [T; N]),
) {
    simd::dispatch(Fill::<'_, T, _, N> { key: key_of(seed), stream: stream as u32, start, out, make });
}

struct Fill<'a, T, F, const N: usize> {
    key: [u32; 2],
    stream: u32,
    start: usize,
    out: &'a mut [T],
    make: F,
}

/// The words of group `group`: blocks `8 group` to `8 group + 7`.
#[inline(always)]
fn words(group: u64, stream: u32, key: [u32; 2]) -> Words {
    let mut counter = [[0; 8], [0; 8], [0; 8], [stream; 8]];
    let [low, high, ..] = &mut counter;
    for (l, (low, high)) in low.iter_mut().zip(high).enumerate() {
        let block = (group << 3) + l as u64;
        (*low, *high) = (block as u32, (block >> 32) as u32);
    }
    blocks(counter, key)
}

impl<T: Copy + Default, const N: usize, F: Fn(&Words, u64, &mut [T; N])> Loop for Fill<'_, T, F, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let make = &self.make;
        let mut group = (self.start / N) as u64;
        let skip = self.start % N;
        let mut out = self.out;
        let mut some = [T::default(); N];
        if skip > 0 {
            let n = (N - skip).min(out.len());
            make(&words(group, self.stream, self.key), group * N as u64, &mut some);
            let (head, rest) = out.split_at_mut(n);
            head.copy_from_slice(&some[skip..skip + n]);
            out = rest;
            group += 1;
        }
        let (groups, tail) = out.as_chunks_mut::<N>();
        for out in groups {
            make(&words(group, self.stream, self.key), group * N as u64, out);
            group += 1;
        }
        if !tail.is_empty() {
            make(&words(group, self.stream, self.key), group * N as u64, &mut some);
            tail.copy_from_slice(&some[..tail.len()]);
        }
    }
}

/// Word `j` of 16 of 64 bits.
#[inline(always)]
pub fn long_word(words: &Words, j: usize) -> u64 {
    (words[j] as u64) << 32 | words[16 + j] as u64
}

/// A number in `[0, 1)` with 53 random bits.
#[inline(always)]
pub fn unit_f64(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A number in `(0, 1)`, never 0 or 1, with 52 random bits.
#[inline(always)]
pub fn open_unit_f64(word: u64) -> f64 {
    ((word >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_the_reference_implementation() {
        assert_eq!(block([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(block([!0; 4], [!0; 2]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        let counter = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
        let key = [0xa4093822, 0x299f31d0];
        assert_eq!(block(counter, key), [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
    }

    #[test]
    fn any_stretch_equals_the_same_stretch_of_the_whole() {
        let some = |start: usize, n: usize| {
            let mut out = vec![0u64; n];
            fill(9, Stream::Uniform, start, &mut out, |words, _, out: &mut [u64; 16]| {
                for (j, out) in out.iter_mut().enumerate() {
                    *out = long_word(words, j);
                }
            });
            out
        };
        let whole = some(0, 100);
        for (start, n) in [(0, 1), (3, 5), (15, 1), (16, 16), (7, 60), (90, 10), (5, 0)] {
            assert_eq!(some(start, n), whole[start..start + n], "{start}, {n}");
        }
        let far = some((1 << 50) + 3, 40);
        assert_ne!(far[..], whole[3..43]);
    }
}
