//! The tensors that a server has: which name is in which file of its folder.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hrry::Policy;
use hrry::io_std::{FileReader, Saving};

use super::super::complain;
use super::super::plain::Plain;
use super::connection::Refusal;
use super::{REFUSED, STORAGE};

pub struct Shelf {
    folder: PathBuf,
    places: RwLock<HashMap<String, Arc<Path>>>,
    /// Held while it is decided whether a file gets its place.
    placing: Mutex<()>,
}

impl Shelf {
    /// Reads the names of all container files of a folder; what is wrong with one is told, and it is left out.
    pub fn open(folder: &Path) -> io::Result<Shelf> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            let is_container = path
                .extension()
                .is_some_and(|extension| extension == EXTENSION);
            if is_container && !is_hidden && path.is_file() {
                files.push(path);
            }
        }
        files.sort();
        let mut places = HashMap::new();
        for path in files {
            add(&mut places, path.into());
        }
        Ok(Shelf {
            folder: folder.to_path_buf(),
            places: RwLock::new(places),
            placing: Mutex::new(()),
        })
    }

    /// The file that holds the tensor of that name.
    pub fn find(&self, key: &str) -> Option<Arc<Path>> {
        let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
        places.get(key).cloned()
    }

    /// Where a tensor of that name may be put.
    pub fn place(&self, key: &str) -> Result<PathBuf, Refusal> {
        let name = file_name(key)
            .ok_or_else(|| Refusal::new(REFUSED, "the key is too long for the name of a file"))?;
        let path = self.folder.join(name);
        self.require_free(key, &path)?;
        Ok(path)
    }

    /// Puts a file that is written where [`place`](Self::place) said, unless that is taken by now.
    pub fn keep(&self, key: &str, path: &Path, file: Saving) -> Result<(), Refusal> {
        let _placing = self.placing.lock().unwrap_or_else(PoisonError::into_inner);
        self.require_free(key, path)?;
        file.commit()
            .map_err(|error| Refusal::new(STORAGE, error))?;
        let mut places = self.places.write().unwrap_or_else(PoisonError::into_inner);
        places.insert(key.to_owned(), path.into());
        Ok(())
    }

    /// Requires that nothing but a tensor of that name is replaced or hidden.
    fn require_free(&self, key: &str, path: &Path) -> Result<(), Refusal> {
        if self.find(key).is_some_and(|place| *place != *path) {
            return Err(Refusal::new(
                REFUSED,
                "another file holds a tensor of that key",
            ));
        }
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Refusal::new(STORAGE, error)),
            Ok(_) => {}
        }
        let holds_it = path.is_file()
            && FileReader::open(path, Policy::STRICT)
                .is_ok_and(|file| file.names().eq([key]) && file.kv().count() == 0);
        match holds_it {
            true => Ok(()),
            false => Err(Refusal::new(
                REFUSED,
                "the file of that key holds something else",
            )),
        }
    }
}

const EXTENSION: &str = "hrry";

/// Most bytes of the name of a file on the usual systems.
const MOST: usize = 255;

/// The name of the file for a key: in every folder, never hidden, and another one for every key.
fn file_name(key: &str) -> Option<String> {
    let mut name = String::new();
    for byte in key.bytes() {
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if plain || byte == b'.' && !name.is_empty() {
            name.push(byte.into());
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
        if name.len() > MOST {
            return None;
        }
    }
    name.push('.');
    name.push_str(EXTENSION);
    (name.len() <= MOST).then_some(name)
}

/// Notes the names of a file that no file before it has.
fn add(places: &mut HashMap<String, Arc<Path>>, path: Arc<Path>) {
    let shown = path.to_string_lossy();
    let shown = Plain::new(&shown);
    let file = match FileReader::open(&path, Policy::STRICT) {
        Ok(file) => file,
        Err(error) => return complain(&format!("hrry: {shown}: left out: {error}")),
    };
    for name in file.names() {
        match places.entry(name.to_owned()) {
            Entry::Vacant(place) => {
                place.insert(path.clone());
            }
            Entry::Occupied(place) => {
                let other = place.get().to_string_lossy();
                let (name, other) = (Plain::new(name), Plain::new(&other));
                complain(&format!("hrry: {shown}: {name} is served from {other}"));
            }
        }
    }
}
