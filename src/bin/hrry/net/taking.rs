//! A tensor that a client gives, on its way to a file.

use std::path::PathBuf;

use hrry::io_std::{FileWriter, IoError, Saving};
use hrry::message::{ErrorCode, TensorPut};
use hrry::{DeviceTag, FileOptions, Policy};

use super::connection::Refusal;
use super::serve::Terms;
use super::{REFUSED, STORAGE};

pub struct Taking {
    pub stream_id: u32,
    key: String,
    path: PathBuf,
    writer: FileWriter<Saving>,
}

impl Taking {
    pub fn begin(terms: &Terms, stream_id: u32, put: &TensorPut<'_>) -> Result<Taking, Refusal> {
        if terms.read_only {
            return Err(Refusal::new(REFUSED, "the server takes no tensors"));
        }
        let most = terms.max_tensor;
        if put.total_data_bytes > most {
            let text = format!("the server takes tensors of at most {most} bytes");
            return Err(Refusal::new(ErrorCode::MessageTooLarge, text));
        }
        let d = &put.descriptor;
        let mut devices = (0..d.buffer_count()).filter_map(|k| d.buffer(k));
        if devices.any(|handle| handle.device_tag != DeviceTag::Cpu) {
            return Err(Refusal::new(
                ErrorCode::DeviceUnavailable,
                "the server has a CPU only",
            ));
        }
        let path = terms.shelf.place(put.tensor_key)?;
        let file = Saving::new(&path).map_err(|error| Refusal::new(STORAGE, error))?;
        let mut writer = FileWriter::new(file, &FileOptions::PLAIN, Policy::STRICT)?;
        writer.begin(put.tensor_key, d)?;
        Ok(Taking {
            stream_id,
            key: put.tensor_key.to_owned(),
            path,
            writer,
        })
    }

    pub fn data(&mut self, bytes: &[u8]) -> Result<(), IoError> {
        self.writer.payload(bytes)
    }

    /// All of it is there.
    pub fn end(mut self, terms: &Terms) -> Result<(), Refusal> {
        self.writer.end()?;
        let (file, _) = self.writer.finish()?;
        terms.shelf.keep(&self.key, &self.path, file)
    }
}
