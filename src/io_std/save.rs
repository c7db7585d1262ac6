//! Saving a file as a whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::{CHUNK, Output};

/// What [`save`] hands to the caller to write into.
pub type Saved<'f> = Output<BufWriter<&'f mut File>>;

/// Replaces a file, or makes it, with what `write` writes: whoever opens it finds the old bytes or the new
/// ones, whenever this process or the machine stops.
///
/// The bytes go into a temporary file of the same folder, to the disk, and then under the name of the
/// file. On any error, also one that `write` returns, the old file is as it was and the temporary one is
/// gone; a process that is killed leaves it behind, as `.hrry-*.tmp`. A file that is there keeps its
/// permissions, but not its owner, and other names that it has keep the old bytes; a symbolic link keeps pointing
/// to it. A link that leads nowhere, and what is no regular file, such as a device, are refused.
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
/// What `write` returns, which has to finish what it writes: bytes are bytes here. Errors of the system. An
/// error after the file has its new name, which only the folder's own way to the disk can give, is returned
/// too: the new file is there, but may be gone after a power failure.
pub fn save<T, E: From<io::Error>>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut Saved<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let mut saving = Saving::new(path)?;
    let file = saving.temporary.as_file_mut();
    let mut sink = Output(BufWriter::with_capacity(CHUNK, file));
    let result = write(&mut sink)?;
    sink.0.flush()?;
    drop(sink);
    saving.commit()?;
    Ok(result)
}

/// A file that will be replaced or made as [`save`] does it, for those who cannot write all of it within one call.
///
/// What is dropped before [`commit`](Self::commit) leaves the old file as it was. Nothing is buffered here.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("notes.txt");
/// use std::io::Write;
/// use hrry::io_std::Saving;
///
/// let mut saving = Saving::new(&path)?;
/// saving.write_all(b"all of it")?;
/// assert!(!path.exists());
/// saving.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Saving {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Saving {
    /// Makes the temporary file beside `path`.
    ///
    /// # Errors
    ///
    /// Errors of the system; what [`save`] refuses.
    pub fn new(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = place(path.as_ref())?;
        let temporary = temporary(&path, folder(&path))?;
        Ok(Saving { path, temporary })
    }

    /// Gives the file its bytes.
    ///
    /// # Errors
    ///
    /// Errors of the system, also of the folder's own way to the disk, as [`save`] says.
    pub fn commit(self) -> io::Result<()> {
        let Saving { path, temporary } = self;
        temporary.as_file().sync_all()?;
        temporary.persist(&path).map_err(|error| error.error)?;
        #[cfg(unix)]
        File::open(folder(&path))?.sync_all()?;
        Ok(())
    }
}

impl Write for Saving {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Where the file is, or will be: a link stays one.
fn place(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(_) => fs::canonicalize(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_path_buf()),
        Err(error) => Err(error),
    }
}

/// A new file beside `path`, with its permissions.
fn temporary(path: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".hrry-").suffix(".tmp");
    match fs::metadata(path) {
        Ok(old) if old.is_file() => {
            let file = builder.tempfile_in(folder)?;
            file.as_file().set_permissions(old.permissions())?;
            Ok(file)
        }
        Ok(_) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "no regular file",
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            new(&mut builder).tempfile_in(folder)
        }
        Err(error) => Err(error),
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
