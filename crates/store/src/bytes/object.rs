//! Objects of S3, Google Cloud Storage, Azure and plain web servers.
//!
//! The client is asynchronous and hides here with a runtime of its own: callers block. Credentials come from the environment, as the
//! clients of these services take them, and never enter a spec.

use std::collections::HashMap;
use std::future::Future;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock, Weak, mpsc};
use std::time::Duration;

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig};
use parking_lot::Mutex;
use tokio::runtime::Runtime;
use url::Url;
use voxmill_core::{Error, ErrorClass, Latency, Result, format_bytes};

use super::{Blob, Bytes, Listing, Payload, Usage};
use crate::location::SCHEMES;

type Client = Arc<dyn ObjectStore>;

/// Objects under one prefix.
#[derive(Debug)]
pub(crate) struct ObjectBytes {
    client: Client,
    prefix: Path,
    location: String,
}

impl ObjectBytes {
    /// The objects under a URL. No request is made.
    pub(crate) fn open(location: &str) -> Result<Self> {
        let url = Url::parse(location).map_err(|e| Error::invalid(format!("'{location}' is not a URL: {e}")))?;
        let prefix = Path::from_url_path(url.path())
            .map_err(|e| Error::invalid(format!("'{location}' has a path that cannot be asked for: {e}")))?;
        Ok(ObjectBytes { client: client(&url)?, prefix, location: location.trim_end_matches('/').to_string() })
    }

    fn path(&self, key: &str) -> Path {
        key.split('/').filter(|part| !part.is_empty()).fold(self.prefix.clone(), |path, part| path.join(part))
    }

    /// The whole object, for servers that do not answer for parts of one.
    fn read_whole(&self, key: &str) -> Result<Option<bytes::Bytes>> {
        let (client, path) = (self.client.clone(), self.path(key));
        let answer = wait(async move { client.get(&path).await?.bytes().await })?;
        present(answer).map_err(|e| self.fault("reading", key, &e))
    }

    fn received(&self, key: &str, limit: u64, answer: object_store::Result<Fetched>) -> Result<Option<Blob>> {
        match present(answer).map_err(|e| self.fault("reading", key, &e))? {
            None => Ok(None),
            Some(Fetched::Bytes(bytes)) => Ok(Some(Blob::Shared(bytes))),
            Some(Fetched::TooLong(size)) => Err(Error::corrupt(format!(
                "{} has {}, more than any encoding of its contents ({})",
                self.place(key),
                format_bytes(size),
                format_bytes(limit)
            ))),
        }
    }

    fn fault(&self, doing: &str, key: &str, e: &object_store::Error) -> Error {
        use object_store::Error as E;
        let (class, hint) = match e {
            E::NotFound { .. } => (ErrorClass::NotFound, ""),
            E::AlreadyExists { .. } => (ErrorClass::Exists, ""),
            E::PermissionDenied { .. } | E::Unauthenticated { .. } => (
                ErrorClass::Io { retry: false },
                "; check the credentials in the environment (for a public S3 bucket set AWS_SKIP_SIGNATURE=true)",
            ),
            E::NotSupported { .. } | E::NotImplemented { .. } | E::InvalidPath { .. } => (ErrorClass::Unsupported, ""),
            _ => (ErrorClass::Io { retry: true }, "; check the address and the network, then try again"),
        };
        Error::new(class, format!("{doing} {}: {e}{hint}", self.place(key)))
    }
}

impl Bytes for ObjectBytes {
    fn place(&self, key: &str) -> String {
        crate::location::join(&self.location, key)
    }

    fn read(&self, key: &str, limit: u64) -> Result<Option<Blob>> {
        let answer = wait(fetch(self.client.clone(), self.path(key), limit))?;
        self.received(key, limit, answer)
    }

    fn read_many(&self, keys: &[String], limit: u64) -> Result<Vec<Option<Blob>>> {
        let requests: Vec<_> = keys.iter().map(|key| fetch(self.client.clone(), self.path(key), limit)).collect();
        let answers = wait(futures::future::join_all(requests))?;
        keys.iter().zip(answers).map(|(key, answer)| self.received(key, limit, answer)).collect()
    }

    fn read_tail(&self, key: &str, n: u64) -> Result<Option<Blob>> {
        let (client, path) = (self.client.clone(), self.path(key));
        let answer = wait(async move {
            let options = GetOptions { range: Some(GetRange::Suffix(n)), ..Default::default() };
            match client.get_opts(&path, options).await {
                // Azure has no suffix ranges.
                Err(object_store::Error::NotSupported { .. }) => {
                    let size = client.head(&path).await?.size;
                    client.get_range(&path, size.saturating_sub(n)..size).await
                }
                found => found?.bytes().await,
            }
        })?;
        match present(answer) {
            Ok(bytes) => Ok(bytes.map(Blob::Shared)),
            Err(e) if has_no_ranges(&e) => Ok(self.read_whole(key)?.map(|bytes| {
                let start = bytes.len().saturating_sub(usize::try_from(n).unwrap_or(usize::MAX));
                Blob::Shared(bytes.slice(start..))
            })),
            Err(e) => Err(self.fault("reading", key, &e)),
        }
    }

    fn read_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Blob>>> {
        let (client, path, wanted) = (self.client.clone(), self.path(key), ranges.to_vec());
        match present(wait(async move { client.get_ranges(&path, &wanted).await })?) {
            Ok(parts) => Ok(parts.map(|parts| parts.into_iter().map(Blob::Shared).collect())),
            Err(e) if has_no_ranges(&e) => {
                let Some(bytes) = self.read_whole(key)? else { return Ok(None) };
                let part = |r: &Range<u64>| (r.end <= bytes.len() as u64).then_some(r.start as usize..r.end as usize);
                let parts = ranges.iter().map(|r| part(r).map(|r| Blob::Shared(bytes.slice(r))));
                parts
                    .collect::<Option<Vec<_>>>()
                    .map(Some)
                    .ok_or_else(|| Error::corrupt(format!("{} is shorter than its index says", self.place(key))))
            }
            Err(e) => Err(self.fault("reading", key, &e)),
        }
    }

    fn write(&self, key: &str, bytes: Payload<'_>) -> Result<()> {
        let payload = PutPayload::from_bytes(match bytes {
            Payload::Borrowed(bytes) => bytes::Bytes::copy_from_slice(bytes),
            Payload::Owned(Blob::Shared(bytes)) => bytes,
            Payload::Owned(blob) => bytes::Bytes::from_owner(blob),
        });
        let (client, path) = (self.client.clone(), self.path(key));
        let answer = wait(async move { client.put(&path, payload).await })?;
        answer.map(|_| ()).map_err(|e| self.fault("writing", key, &e))
    }

    fn delete(&self, key: &str) -> Result<()> {
        let (client, path) = (self.client.clone(), self.path(key));
        let answer = wait(async move { client.delete(&path).await })?;
        present(answer).map(|_| ()).map_err(|e| self.fault("removing", key, &e))
    }

    fn list(&self, prefix: &str) -> Result<Listing> {
        let (client, path) = (self.client.clone(), self.path(prefix));
        let answer = wait(async move { client.list_with_delimiter(Some(&path)).await })?;
        let found = answer.map_err(|e| self.fault("listing", prefix, &e))?;
        let name = |path: &Path| path.filename().unwrap_or_default().to_string();
        let mut listing = Listing {
            folders: found.common_prefixes.iter().map(name).collect(),
            files: found.objects.iter().map(|object| name(&object.location)).collect(),
        };
        listing.folders.sort();
        listing.files.sort();
        Ok(listing)
    }

    fn usage(&self, prefix: &str) -> Result<Usage> {
        let (client, path) = (self.client.clone(), self.path(prefix));
        let answer = wait(async move {
            let add = |sum: Usage, object: object_store::ObjectMeta| async move {
                Ok(Usage { objects: sum.objects + 1, bytes: sum.bytes + object.size })
            };
            client.list(Some(&path)).try_fold(Usage::default(), add).await
        })?;
        answer.map_err(|e| self.fault("listing", prefix, &e))
    }

    fn clear(&self) -> Result<()> {
        let (client, path) = (self.client.clone(), self.prefix.clone());
        let answer = wait(async move {
            let found: Vec<_> = client.list(Some(&path)).map_ok(|object| object.location).try_collect().await?;
            for object in found {
                client.delete(&object).await?;
            }
            Ok(())
        })?;
        answer.map_err(|e: object_store::Error| self.fault("removing", "", &e))
    }

    fn latency(&self) -> Latency {
        Latency::Remote
    }
}

/// What came of a request for a whole object.
enum Fetched {
    Bytes(bytes::Bytes),
    TooLong(u64),
}

async fn fetch(client: Client, path: Path, limit: u64) -> object_store::Result<Fetched> {
    let found = client.get(&path).await?;
    // The size is known before the body is fetched, so an absurd object costs nothing.
    if found.meta.size > limit {
        return Ok(Fetched::TooLong(found.meta.size));
    }
    found.bytes().await.map(Fetched::Bytes)
}

/// `None` for an object that is not there.
fn present<T>(answer: object_store::Result<T>) -> object_store::Result<Option<T>> {
    match answer {
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// True if the server sent the whole object where a part was asked for.
fn has_no_ranges(e: &object_store::Error) -> bool {
    matches!(e, object_store::Error::NotSupported { .. }) || format!("{e:?}").contains("NotPartial")
}

/// Runs a request on the runtime of this module and waits. Works on any thread, also on one of another runtime.
fn wait<T: Send + 'static>(request: impl Future<Output = T> + Send + 'static) -> Result<T> {
    static RUNTIME: OnceLock<std::io::Result<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("voxmill-net").enable_all().build()
    });
    let runtime = runtime.as_ref().map_err(|e| Error::io("starting the network threads", e))?;
    let (send, receive) = mpsc::sync_channel(1);
    runtime.spawn(async move {
        // A receiver that is gone no longer wants the answer.
        let _ = send.send(request.await);
    });
    receive.recv().map_err(|_| {
        Error::new(ErrorClass::Io { retry: true }, "the network client stopped in the middle of a request")
    })
}

/// The client of a bucket or server. Open arrays of the same one share it, and with it the connections.
fn client(url: &Url) -> Result<Client> {
    static CLIENTS: LazyLock<Mutex<HashMap<String, Weak<dyn ObjectStore>>>> = LazyLock::new(Mutex::default);
    let name = url[..url::Position::BeforePath].to_string();
    let mut clients = CLIENTS.lock();
    if let Some(client) = clients.get(&name).and_then(Weak::upgrade) {
        return Ok(client);
    }
    let client = connect(url, &name)?;
    clients.insert(name, Arc::downgrade(&client));
    Ok(client)
}

fn connect(url: &Url, name: &str) -> Result<Client> {
    // The executor tries again by itself; here only short faults are bridged, so that a lost network is reported soon.
    let retry = RetryConfig { max_retries: 1, retry_timeout: Duration::from_secs(10), ..Default::default() };
    let made: object_store::Result<Client> = match url.scheme() {
        "s3" | "s3a" => {
            let plain = ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"]
                .iter()
                .any(|name| std::env::var(name).is_ok_and(|url| url.starts_with("http://")));
            let builder = object_store::aws::AmazonS3Builder::from_env().with_url(name).with_retry(retry);
            let builder = if plain { builder.with_allow_http(true) } else { builder };
            builder.build().map(|s| Arc::new(s) as Client)
        }
        "gs" => object_store::gcp::GoogleCloudStorageBuilder::from_env()
            .with_url(name)
            .with_retry(retry)
            .build()
            .map(|s| Arc::new(s) as Client),
        "az" | "azure" | "abfs" | "abfss" => object_store::azure::MicrosoftAzureBuilder::from_env()
            .with_url(name)
            .with_retry(retry)
            .build()
            .map(|s| Arc::new(s) as Client),
        "http" | "https" => object_store::http::HttpBuilder::new()
            .with_url(name)
            .with_retry(retry)
            .with_client_options(object_store::ClientOptions::new().with_allow_http(true))
            .build()
            .map(|s| Arc::new(s) as Client),
        other => {
            return Err(Error::unsupported(format!("'{other}://' is not understood; use a path or one of {SCHEMES}")));
        }
    };
    made.map_err(|e| Error::invalid(format!("cannot connect to {name}: {e}")))
}
