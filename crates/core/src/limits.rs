//! Byte counts as people write them, and how much memory this machine gives us.

use std::fs;

use crate::{Error, Result};

const UNITS: [(&str, f64); 13] = [
    ("kib", 1024.0),
    ("mib", 1048576.0),
    ("gib", 1073741824.0),
    ("tib", 1099511627776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("k", 1024.0),
    ("m", 1048576.0),
    ("g", 1073741824.0),
    ("t", 1099511627776.0),
    ("b", 1.0),
];

/// Reads `512MiB`, `1.5 GB`, `64k` or a plain number of bytes.
pub fn parse_bytes(text: &str) -> Result<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let (number, factor) = UNITS
        .iter()
        .find_map(|(unit, factor)| lower.strip_suffix(unit).map(|number| (number.trim_end(), *factor)))
        .unwrap_or((lower.as_str(), 1.0));
    match number.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok((value * factor) as u64),
        _ => {
            Err(Error::invalid(format!("'{text}' is not a number of bytes; write for example 512MiB, 4GB or 1000000")))
        }
    }
}

/// Writes a byte count with three digits: `1.50 GiB`.
pub fn format_bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB", "TiB"] {
        if value < 1000.0 || unit == "TiB" {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.*} {unit}", digits(value)) };
        }
        value /= 1024.0;
    }
    format!("{bytes} B")
}

fn digits(value: f64) -> usize {
    if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    }
}

/// Memory that this process may use: the machine's, or less where a control group says so.
pub fn machine_memory() -> u64 {
    let machine = kilobytes("/proc/meminfo", "MemTotal:").unwrap_or(4 << 30);
    cgroup_limits().into_iter().fold(machine, u64::min)
}

/// The number behind `field` in a file of the kernel that counts in kB, as bytes.
fn kilobytes(file: &str, field: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(field))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// The limits of all control groups this process is in, versions 1 and 2.
fn cgroup_limits() -> Vec<u64> {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut limits = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next(), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            c if c.split(',').any(|c| c == "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        // A group is bound by every group above it.
        let mut path = path.trim_end_matches('/');
        loop {
            let limit = fs::read_to_string(format!("{root}{path}/{file}")).ok();
            limits.extend(limit.and_then(|text| text.trim().parse::<u64>().ok()));
            match path.rfind('/') {
                Some(cut) => path = &path[..cut],
                None => break,
            }
        }
    }
    limits
}

/// Most bytes that this process ever had resident, where the system says so.
pub fn peak_resident() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_counts_read_and_write() {
        assert_eq!(parse_bytes("512MiB").unwrap(), 512 << 20);
        assert_eq!(parse_bytes("1.5 GB").unwrap(), 1_500_000_000);
        assert_eq!(parse_bytes("77").unwrap(), 77);
        assert!(parse_bytes("lots").unwrap_err().message().contains("512MiB"));
        assert_eq!(format_bytes(1536 << 20), "1.50 GiB");
        assert_eq!(format_bytes(12), "12 B");
        assert_eq!(format_bytes(200 << 20), "200 MiB");
    }

    #[test]
    fn the_machine_has_memory() {
        assert!(machine_memory() > 64 << 20);
    }
}
