//! Element-wise ops in one pass: short runs of elements go through the whole chain while they are in the first-level cache, and on into
//! reductions.

use voxmill_core::smallvec::SmallVec;
use voxmill_core::{ArrayMeta, Buffer, Chunk, Error, Region, Result, View, ViewMut, prefetch};
use voxmill_plan::task::{Piece, PlanNode, RUN_BYTES, Steps};
use voxmill_plan::{MapKernel, NoRows, Op, Place, Taker, What};

use crate::Cancel;

/// Where an instruction finds an input.
#[derive(Debug, Clone, Copy)]
enum From {
    /// An array outside the pass.
    Outside(usize),
    /// The result of an earlier instruction of the pass.
    Inside(usize),
}

enum Work {
    /// A loop from runs to a run.
    Map(MapKernel),
    /// The number of a taker.
    Take(usize),
}

struct Instruction {
    work: Work,
    ins: SmallVec<[From; 3]>,
    /// Bytes of an element of the result; 0 for a taker.
    width: usize,
}

/// Runs the pieces `members`, and returns the chunks of those in `keep`.
pub(crate) fn run(
    steps: &Steps,
    nodes: &[PlanNode],
    members: &[usize],
    keep: &[usize],
    values: &[Option<Chunk>],
    cancel: &Cancel,
) -> Result<Vec<Chunk>> {
    let shape = &steps.pieces[members[0]].region.shape;
    let mut program = Program::new(steps, nodes, members, values)?;
    let kept = |p: &usize| {
        let piece = &steps.pieces[*p];
        Chunk::new(&piece.region.shape, nodes[piece.node.index()].meta.dtype)
    };
    let mut outs: Vec<Chunk> = keep.iter().map(kept).collect::<Result<_>>()?;
    let slots: Vec<usize> = keep.iter().filter_map(|p| members.iter().position(|m| m == p)).collect();
    let mut views = outs.iter_mut().map(Chunk::view_mut).collect::<Result<Vec<_>>>()?;
    let total: usize = shape.iter().product();
    if total > 0 {
        let mut bytes: Vec<&mut [u8]> = views.iter_mut().filter_map(|v| v.bytes_mut()).collect();
        program.run(total, shape, &slots, &mut bytes, cancel)?;
    }
    program.finish(&slots, &mut views)?;
    drop(views);
    Ok(outs)
}

/// What takes the runs that the piece `member` is made from.
fn taker(
    steps: &Steps,
    nodes: &[PlanNode],
    member: usize,
    op: &dyn Op,
    metas: &[&ArrayMeta],
) -> Result<Box<dyn Taker>> {
    let piece = &steps.pieces[member];
    let reads: SmallVec<[Region; 1]> = piece.ins.iter().map(|i| i.region.clone()).collect();
    let out_meta = &nodes[piece.node.index()].meta;
    op.taker(&Place { out: &piece.region, out_meta, reads: &reads, ins: metas, rows: &NoRows })
}

struct Program<'a> {
    instructions: Vec<Instruction>,
    takers: Vec<Box<dyn Taker>>,
    outside: Vec<Outside<'a>>,
    /// Elements of one run.
    run: usize,
}

impl<'a> Program<'a> {
    fn new(steps: &'a Steps, nodes: &[PlanNode], members: &[usize], values: &'a [Option<Chunk>]) -> Result<Self> {
        let mut program = Program { instructions: Vec::new(), takers: Vec::new(), outside: Vec::new(), run: 0 };
        let mut widest = 1;
        for &member in members {
            let piece = &steps.pieces[member];
            let node = &nodes[piece.node.index()];
            let What::Op(op) = &node.what else { return Err(Error::internal("a fused piece is no op")) };
            let metas: SmallVec<[&ArrayMeta; 3]> = node.ins.iter().map(|id| &nodes[id.index()].meta).collect();
            let mut ins = SmallVec::new();
            for input in &piece.ins {
                let from = input.piece.ok_or_else(|| Error::internal("a fused input is missing"))?;
                // Members come in ascending order.
                ins.push(match members.binary_search(&from) {
                    Ok(k) => From::Inside(k),
                    Err(_) => From::Outside(program.outside(steps, from, input, piece, values)?),
                });
            }
            widest = metas.iter().map(|m| m.dtype.size()).fold(widest, usize::max);
            let named = |e: Error| e.at(op.title());
            if piece.takes_runs {
                let work = Work::Take(program.takers.len());
                program.takers.push(taker(steps, nodes, member, op.as_ref(), &metas).map_err(named)?);
                program.instructions.push(Instruction { work, ins, width: 0 });
            } else {
                let width = node.meta.dtype.size();
                widest = widest.max(width);
                let work = Work::Map(op.kernel(&metas).map_err(named)?);
                program.instructions.push(Instruction { work, ins, width });
            }
        }
        program.run = RUN_BYTES / widest;
        Ok(program)
    }

    /// The number of an outside array, added if it is new.
    fn outside(
        &mut self,
        steps: &Steps,
        from: usize,
        input: &voxmill_plan::task::PieceInput,
        piece: &Piece,
        values: &'a [Option<Chunk>],
    ) -> Result<usize> {
        let chunk = values[from].as_ref().ok_or_else(|| Error::internal("an input was dropped too early"))?;
        let part = chunk.view().part(&input.region.relative_to(&steps.pieces[from].region.start));
        let view = broadcast(&part, &piece.region.shape)?;
        self.outside.push(Outside::new(view, &piece.region.shape)?);
        Ok(self.outside.len() - 1)
    }

    fn run(
        &mut self,
        total: usize,
        shape: &[usize],
        slots: &[usize],
        outs: &mut [&mut [u8]],
        cancel: &Cancel,
    ) -> Result<()> {
        let mut registers = Registers::new(&self.instructions, slots)?;
        // Runs end with a row where rows are long, so that strided inputs can be used in place.
        let row = shape.last().copied().unwrap_or(1).max(1);
        let row = if self.outside.iter().all(Outside::is_flat) || row < 512 { total } else { row };
        let mut at = 0;
        let mut count = 0usize;
        while at < total {
            let n = self.run.min(total - at).min(row - at % row);
            for outside in &mut self.outside {
                outside.load(at, n);
            }
            self.step(at, n, slots, outs, &mut registers);
            at += n;
            count += 1;
            if count.is_multiple_of(1024) {
                cancel.check()?;
            }
        }
        Ok(())
    }

    /// Lets the takers fill their boxes.
    fn finish(&mut self, slots: &[usize], outs: &mut [ViewMut<'_>]) -> Result<()> {
        for (slot, out) in slots.iter().zip(outs) {
            if let Work::Take(s) = self.instructions[*slot].work {
                self.takers[s].finish(out)?;
            }
        }
        Ok(())
    }

    /// Asks for a share of the next run before each instruction: the memory works while the processor computes.
    fn prefetch(&self, at: usize, n: usize, k: usize) {
        let parts = self.instructions.len();
        let (begin, end) = (at + n + n * k / parts, at + n + n * (k + 1) / parts);
        self.outside.iter().for_each(|outside| outside.prefetch(begin, end));
    }

    /// One run through all instructions.
    fn step(&mut self, at: usize, n: usize, slots: &[usize], outs: &mut [&mut [u8]], registers: &mut Registers) {
        for (k, instruction) in self.instructions.iter().enumerate() {
            let bytes = n * instruction.width;
            self.prefetch(at, n, k);
            if let (Work::Take(s), [From::Inside(i)]) = (&instruction.work, &instruction.ins[..]) {
                self.takers[*s].take(result_of(&self.instructions, *i, at, n, slots, outs, registers));
                continue;
            }
            let kept = slots.iter().position(|&s| s == k);
            // The target is taken out of its place, so that the other places can be read meanwhile.
            let mut own = kept.map(|o| std::mem::take(&mut outs[o]));
            let mut register = registers.take(k);
            {
                let ins: SmallVec<[&[u8]; 3]> = instruction
                    .ins
                    .iter()
                    .map(|from| match *from {
                        From::Outside(o) => self.outside[o].run(n),
                        From::Inside(i) => result_of(&self.instructions, i, at, n, slots, outs, registers),
                    })
                    .collect();
                let target: &mut [u8] = match (&mut own, &mut register) {
                    (Some(out), _) => &mut out[at * instruction.width..at * instruction.width + bytes],
                    (None, Some(register)) => &mut register.as_mut()[..bytes],
                    (None, None) => &mut [],
                };
                if let Work::Map(kernel) = &instruction.work {
                    (kernel.0)(&ins, target);
                }
            }
            if let (Some(o), Some(out)) = (kept, own) {
                outs[o] = out;
            }
            registers.put(k, register);
        }
    }
}

/// The run at `at` that instruction `i` has made: in the chunk that is kept, or in a register.
fn result_of<'a>(
    instructions: &[Instruction],
    i: usize,
    at: usize,
    n: usize,
    slots: &[usize],
    outs: &'a [&mut [u8]],
    registers: &'a Registers,
) -> &'a [u8] {
    let width = instructions[i].width;
    match slots.iter().position(|&s| s == i) {
        Some(o) => &outs[o][at * width..(at + n) * width],
        None => &registers.get(i)[..n * width],
    }
}

/// Short buffers for results that nobody keeps. Two instructions share one where the first is no longer needed.
struct Registers {
    /// `None` while an instruction writes to it.
    buffers: Vec<Option<Buffer>>,
    of: Vec<usize>,
}

impl Registers {
    fn new(instructions: &[Instruction], slots: &[usize]) -> Result<Self> {
        let mut last_use = vec![0; instructions.len()];
        for (k, instruction) in instructions.iter().enumerate() {
            for from in &instruction.ins {
                if let From::Inside(i) = from {
                    last_use[*i] = k;
                }
            }
        }
        let mut registers = Registers { buffers: vec![None], of: vec![0; instructions.len()] };
        let mut free: Vec<usize> = Vec::new();
        for k in 0..instructions.len() {
            if slots.contains(&k) {
                continue;
            }
            let register = match free.pop() {
                Some(register) => register,
                None => {
                    registers.buffers.push(Some(Buffer::new(RUN_BYTES)?));
                    registers.buffers.len() - 1
                }
            };
            registers.of[k] = register;
            free.extend((0..k).filter(|&i| last_use[i] == k && !slots.contains(&i)).map(|i| registers.of[i]));
            if last_use[k] <= k {
                free.push(register);
            }
        }
        Ok(registers)
    }

    fn take(&mut self, k: usize) -> Option<Buffer> {
        self.buffers[self.of[k]].take()
    }

    fn put(&mut self, k: usize, buffer: Option<Buffer>) {
        self.buffers[self.of[k]] = buffer;
    }

    fn get(&self, k: usize) -> &[u8] {
        self.buffers[self.of[k]].as_ref().map_or(&[], AsRef::as_ref)
    }
}

/// An array outside the pass, as runs of C-ordered elements.
struct Outside<'a> {
    view: View<'a>,
    kind: Access<'a>,
    buffer: Option<Buffer>,
    /// Byte range of the current run in the view's data, where it can be used in place.
    direct: Option<usize>,
    width: usize,
}

enum Access<'a> {
    /// All elements in order.
    Flat(&'a [u8]),
    /// One element for all: the buffer is filled once.
    Constant,
    /// Anything else.
    Strided,
}

impl<'a> Outside<'a> {
    fn new(view: View<'a>, shape: &[usize]) -> Result<Self> {
        let width = view.dtype().size();
        let total: usize = shape.iter().product();
        let constant = total > 0 && view.shape().iter().zip(view.strides()).all(|(&n, &s)| n == 1 || s == 0);
        let aligned = |bytes: &[u8]| (bytes.as_ptr() as usize).is_multiple_of(alignment(width));
        let flat = view.bytes().filter(|bytes| aligned(bytes) && !constant);
        let (kind, buffer) = match flat {
            Some(bytes) => (Access::Flat(bytes), None),
            None => (if constant { Access::Constant } else { Access::Strided }, Some(Buffer::new(RUN_BYTES)?)),
        };
        let mut outside = Outside { view, kind, buffer, direct: None, width };
        if constant {
            outside.fill(total.min(RUN_BYTES / width));
        }
        Ok(outside)
    }

    fn is_flat(&self) -> bool {
        !matches!(self.kind, Access::Strided)
    }

    /// Repeats the one element `n` times, doubling what is there.
    fn fill(&mut self, n: usize) {
        let at = self.view.offset();
        let element = &self.view.data()[at..at + self.width];
        let Some(buffer) = &mut self.buffer else { return };
        let bytes = &mut buffer.as_mut()[..n * self.width];
        bytes[..self.width].copy_from_slice(element);
        let mut done = self.width;
        while done < bytes.len() {
            let more = done.min(bytes.len() - done);
            bytes.copy_within(..more, done);
            done += more;
        }
    }

    /// Makes the elements `at..at + n` ready.
    fn load(&mut self, at: usize, n: usize) {
        match self.kind {
            Access::Constant => {}
            Access::Flat(_) => self.direct = Some(at * self.width),
            Access::Strided => self.load_strided(at, n),
        }
    }

    /// Hints that the elements `begin..end` are needed soon.
    fn prefetch(&self, begin: usize, end: usize) {
        if let Access::Flat(bytes) = self.kind {
            prefetch(&bytes[(begin * self.width).min(bytes.len())..(end * self.width).min(bytes.len())]);
        }
    }

    fn load_strided(&mut self, at: usize, n: usize) {
        let rank = self.view.shape().len();
        let (row, step) = (self.view.shape()[rank - 1], self.view.strides()[rank - 1]);
        self.direct = None;
        let mut done = 0;
        while done < n {
            let (line, column) = ((at + done) / row, (at + done) % row);
            let mut offset = self.view.offset() as isize + column as isize * step;
            let mut rest = line;
            for k in (0..rank - 1).rev() {
                offset += (rest % self.view.shape()[k]) as isize * self.view.strides()[k];
                rest /= self.view.shape()[k];
            }
            let count = (row - column).min(n - done);
            if done == 0 && count == n && self.usable(offset as usize, step) {
                self.direct = Some(offset as usize);
                return;
            }
            self.gather(offset, step, done, count);
            done += count;
        }
    }

    fn usable(&self, offset: usize, step: isize) -> bool {
        let address = self.view.data().as_ptr() as usize + offset;
        step == self.width as isize && address.is_multiple_of(alignment(self.width))
    }

    /// Copies `count` elements from `offset` on to position `done` of the buffer.
    fn gather(&mut self, offset: isize, step: isize, done: usize, count: usize) {
        let Some(buffer) = &mut self.buffer else { return };
        let width = self.width;
        let data = self.view.data();
        let target = &mut buffer.as_mut()[done * width..(done + count) * width];
        if step == width as isize {
            let offset = offset as usize;
            target.copy_from_slice(&data[offset..offset + count * width]);
            return;
        }
        match width {
            1 => gather_words::<1>(data, offset, step, target),
            2 => gather_words::<2>(data, offset, step, target),
            4 => gather_words::<4>(data, offset, step, target),
            8 => gather_words::<8>(data, offset, step, target),
            _ => gather_words::<16>(data, offset, step, target),
        }
    }

    /// The run that was loaded last.
    fn run(&self, n: usize) -> &[u8] {
        match (&self.kind, self.direct, &self.buffer) {
            (Access::Flat(bytes), Some(at), _) => &bytes[at..at + n * self.width],
            (Access::Strided, Some(at), _) => &self.view.data()[at..at + n * self.width],
            (_, _, Some(buffer)) => &buffer.as_ref()[..n * self.width],
            _ => &[],
        }
    }
}

fn gather_words<const W: usize>(data: &[u8], offset: isize, step: isize, target: &mut [u8]) {
    for (i, element) in target.chunks_exact_mut(W).enumerate() {
        let at = (offset + i as isize * step) as usize;
        element.copy_from_slice(&data[at..at + W]);
    }
}

/// Alignment of an element; complex numbers align like their parts.
fn alignment(width: usize) -> usize {
    width.min(8)
}

/// `view` repeated along axes of length 1 and new leading axes to reach `shape`.
fn broadcast<'a>(view: &View<'a>, shape: &[usize]) -> Result<View<'a>> {
    if view.shape() == shape {
        return Ok(view.clone());
    }
    let lead = shape.len() - view.shape().len();
    let strides: SmallVec<[isize; 6]> = (0..shape.len())
        .map(|k| if k < lead || view.shape()[k - lead] != shape[k] { 0 } else { view.strides()[k - lead] })
        .collect();
    view.restrided(view.offset(), shape, strides)
}
