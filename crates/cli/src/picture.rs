//! Small gray pictures of two-dimensional arrays, as PNG.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use voxmill::core::{Chunk, Error, Result};

/// Columns between two panels.
const GAP: usize = 8;

/// Largest side of a panel; longer ones are thinned out.
const SIDE: usize = 768;

/// Draws arrays of rank 2 side by side, each from its smallest value (black) to its largest (white).
pub fn write(path: &Path, panels: &[Chunk]) -> Result<()> {
    let panels: Vec<Panel> = panels.iter().map(Panel::new).collect::<Result<_>>()?;
    let height = panels.iter().map(|p| p.height).max().unwrap_or(1);
    let width = panels.iter().map(|p| p.width).sum::<usize>() + GAP * panels.len().saturating_sub(1);
    let mut pixels = vec![255u8; width * height];
    let mut left = 0;
    for panel in &panels {
        for (y, row) in panel.pixels.chunks_exact(panel.width).enumerate() {
            let start = y * width + left;
            pixels[start..start + panel.width].copy_from_slice(row);
        }
        left += panel.width + GAP;
    }
    encode(path, width, height, &pixels)
}

struct Panel {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Panel {
    fn new(chunk: &Chunk) -> Result<Panel> {
        let &[rows, columns] = chunk.shape() else {
            return Err(Error::invalid(format!("a picture needs two axes, not {:?}", chunk.shape())));
        };
        if chunk.size() == 0 {
            return Err(Error::invalid("a picture needs at least one element"));
        }
        let step = rows.max(columns).div_ceil(SIDE);
        let (height, width) = (rows.div_ceil(step), columns.div_ceil(step));
        let at = |n: usize| chunk.get(&[n / width * step, n % width * step]).to_f64();
        let values: Vec<f64> = (0..width * height).map(at).collect();
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let scale = if high > low { 255.0 / (high - low) } else { 0.0 };
        let pixels = values.iter().map(|v| ((v - low) * scale).round() as u8).collect();
        Ok(Panel { width, height, pixels })
    }
}

fn encode(path: &Path, width: usize, height: usize, pixels: &[u8]) -> Result<()> {
    let failed = |e: &dyn std::fmt::Display| {
        Error::new(voxmill::core::ErrorClass::Io { retry: false }, format!("writing '{}': {e}", path.display()))
    };
    let file = File::create(path).map_err(|e| Error::io(format_args!("writing '{}'", path.display()), &e))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), width as u32, height as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| failed(&e))?;
    writer.write_image_data(pixels).map_err(|e| failed(&e))?;
    writer.finish().map_err(|e| failed(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_stand_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let a = Chunk::from_slice(&[0.0f32, 1.0, 2.0, f32::NAN], &[2, 2]).unwrap();
        let b = Chunk::from_slice(&[5u16, 5, 5], &[3, 1]).unwrap();
        write(&path, &[a.clone(), b]).unwrap();
        let decoder = png::Decoder::new(std::io::BufReader::new(File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((frame.width, frame.height), (2 + 8 + 1, 3));
        assert_eq!(pixels[..3], [0, 128, 255]);
        assert!(write(&path, &[Chunk::from_slice(&[1u8], &[1]).unwrap()]).is_err());
    }
}
