//! Saving a file as a whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use super::{CHUNK, Output};

/// What [`save`] hands to the caller to write into.
pub type Saved<'f> = Output<BufWriter<&'f mut File>>;

/// Replaces a file, or makes it, with what `write` writes: whoever opens it finds the old bytes or the new
/// ones, whenever this process or the machine stops.
///
/// The bytes go into a temporary file of the same folder, to the disk, and then under the name of the
/// file. On any error, also one that `write` returns, the old file is as it was and the temporary one is
/// gone; a process that is killed leaves it behind, as `.NAME.*.tmp`. A file that is there keeps its
/// permissions, and a link keeps pointing to it. What can only be written to, such as a device, cannot be
/// saved to.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tensors.bin");
/// use hrry::io_std::{IoError, StreamReader, save};
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, StreamWriter};
///
/// let buffers = [BufferHandle::cpu(2, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[2], Layout::RowMajor, &buffers);
/// save(&path, |sink| {
///     let mut writer = StreamWriter::growing(sink, Policy::STRICT);
///     writer.tensor(&spec, &[&[1, 2]])?;
///     writer.finish()?;
///     Ok::<(), IoError>(())
/// })?;
/// // a tensor without its bytes: refused, and the file stays
/// let refused = save(&path, |sink| {
///     let mut writer = StreamWriter::growing(sink, Policy::STRICT);
///     writer.begin(&spec)?;
///     writer.finish()?;
///     Ok::<(), IoError>(())
/// });
/// assert_eq!(refused.unwrap_err().rule().unwrap().id(), "STREAM-10");
/// let mut reader = StreamReader::new(std::fs::File::open(path)?, Policy::STRICT);
/// assert!(reader.next_item()?.is_some());
/// # Ok::<(), IoError>(())
/// ```
///
/// # Errors
///
/// What `write` returns; errors of the system. An error after the file has its new name, which only the
/// folder's own way to the disk can give, is returned too: the new file is there, but may be gone after a
/// power failure.
pub fn save<T, E: From<io::Error>>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut Saved<'_>) -> Result<T, E>,
) -> Result<T, E> {
    // a link stays one
    let path = fs::canonicalize(&path).unwrap_or_else(|_| path.as_ref().to_path_buf());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = temporary(&path, folder)?;
    let mut sink = Output(BufWriter::with_capacity(CHUNK, temporary.as_file_mut()));
    let result = write(&mut sink)?;
    sink.0.flush()?;
    drop(sink);
    temporary.as_file().sync_all()?;
    temporary.persist(&path).map_err(|error| error.error)?;
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(result)
}

/// A new file beside `path`, with its permissions.
fn temporary(path: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    match fs::metadata(path) {
        Ok(old) => {
            let file = builder.tempfile_in(folder)?;
            file.as_file().set_permissions(old.permissions())?;
            Ok(file)
        }
        Err(_) => new(&mut builder).tempfile_in(folder),
    }
}

/// As any new file: what the process masks.
#[cfg(unix)]
fn new<'b, 'p, 's>(builder: &'b mut Builder<'p, 's>) -> &'b mut Builder<'p, 's> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn new<'b, 'p, 's>(builder: &'b mut Builder<'p, 's>) -> &'b mut Builder<'p, 's> {
    builder
}
