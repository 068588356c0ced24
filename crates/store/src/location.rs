//! Paths and URLs as users write them.

use std::path::PathBuf;

use url::Url;
use voxmill_core::{Error, Result};

/// The URL schemes that are understood, for messages.
pub(crate) const SCHEMES: &str = "file://, http://, https://, s3://, gs://, az://";

/// The path of a local location, or `None` for a URL of a remote one.
pub fn local_path(location: &str) -> Result<Option<PathBuf>> {
    if location.is_empty() {
        return Err(Error::invalid("the location is empty; give a path or a URL"));
    }
    if location.starts_with("file://") {
        let url = Url::parse(location).map_err(|e| Error::invalid(format!("'{location}' is not a URL: {e}")))?;
        return url.to_file_path().map(Some).map_err(|()| Error::invalid(format!("'{location}' names no local file")));
    }
    Ok(if is_url(location) { None } else { Some(PathBuf::from(location)) })
}

/// True if `location` has a URL scheme.
pub(crate) fn is_url(location: &str) -> bool {
    location.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// The form that a spec keeps: absolute for local paths, so that other processes find it, without a slash at the end.
pub(crate) fn normal(location: &str) -> Result<String> {
    match local_path(location)? {
        Some(path) => {
            let path = std::path::absolute(&path)
                .map_err(|e| Error::io(format_args!("finding the folder of '{location}'"), &e))?;
            Ok(path.to_string_lossy().trim_end_matches('/').to_string())
                .map(|p| if p.is_empty() { "/".into() } else { p })
        }
        None => Ok(location.trim_end_matches('/').to_string()),
    }
}

/// The location of `name` below `location`.
pub(crate) fn join(location: &str, name: &str) -> String {
    let base = location.trim_end_matches('/');
    if name.is_empty() { base.to_string() } else { format!("{base}/{name}") }
}

/// The location one level up and the last name, or `None` at the top.
pub(crate) fn parent(location: &str) -> Option<(&str, &str)> {
    let trimmed = location.trim_end_matches('/');
    let top = trimmed.find("://").map_or(0, |at| at + 3);
    let cut = trimmed[top..].rfind('/')? + top;
    (cut > top && cut + 1 < trimmed.len()).then(|| (&trimmed[..cut], &trimmed[cut + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_paths_are_told_apart() {
        assert_eq!(local_path("/a/b").unwrap(), Some(PathBuf::from("/a/b")));
        assert_eq!(local_path("file:///a/b%20c").unwrap(), Some(PathBuf::from("/a/b c")));
        assert_eq!(local_path("s3://bucket/key").unwrap(), None);
        assert!(local_path("").is_err());
        assert_eq!(parent("s3://bucket/a/b/"), Some(("s3://bucket/a", "b")));
        assert_eq!(parent("s3://bucket"), None);
        assert_eq!(parent("/a/b"), Some(("/a", "b")));
    }
}
