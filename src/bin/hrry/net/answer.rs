//! A tensor or composite on its way from a file to a client.

use std::path::Path;
use std::sync::Arc;

use hrry::io_std::{FileReader, IoError};
use hrry::message::{Availability, ErrorCode, Peer, TensorRequest, select_device};
use hrry::{
    BufferHandle, DescriptorView, DeviceTag, ExtensionType, Fields, Layout, MemberRole,
    MemoryClass, Policy, Quantization, Shard, Statistics, SyncMode, U64s, WriteError,
};

use super::super::container::{pieces, tensor};
use super::connection::{Connection, Refusal};
use super::serve::Terms;

/// What a client asks for. It comes in the layout that it has: the server makes no other one.
pub struct Ask {
    pub stream_id: u32,
    key: String,
    place: Arc<Path>,
    alignment: u32,
}

impl Ask {
    pub fn of(
        terms: &Terms,
        client: Option<&Peer>,
        stream_id: u32,
        request: &TensorRequest<'_>,
    ) -> Result<Ask, Refusal> {
        let key = request.tensor_key;
        let place = terms.shelf.find(key);
        let unknown = "no tensor has that name";
        let place = place.ok_or_else(|| Refusal::new(ErrorCode::UnknownTensor, unknown))?;
        let availability = |device| match device {
            DeviceTag::Cpu => Availability::Ready,
            _ => Availability::Never,
        };
        let device = client.map_or(Err(ErrorCode::DeviceUnavailable), |client| {
            select_device(request.preferred_device, client, availability)
        });
        device.map_err(|code| Refusal::new(code, "the server has a CPU only"))?;
        Ok(Ask {
            stream_id,
            key: key.to_owned(),
            place,
            alignment: request.min_alignment,
        })
    }
}

/// Why an answer ended early.
enum Stopped {
    /// The client is told.
    Refused(Refusal),
    /// The client does not want it any more.
    Unwanted,
    /// The connection failed.
    Link(IoError),
}

impl From<IoError> for Stopped {
    fn from(error: IoError) -> Stopped {
        Stopped::Refused(error.into())
    }
}

impl From<WriteError<std::io::Error>> for Stopped {
    fn from(error: WriteError<std::io::Error>) -> Stopped {
        match error {
            WriteError::Refused(kind) => Stopped::Refused(Refusal::of(&kind)),
            WriteError::Sink(error) => Stopped::Link(error.into()),
            // the link was closed meanwhile, and the client told
            _ => Stopped::Unwanted,
        }
    }
}

impl Connection<'_> {
    pub fn answer(&mut self, ask: &Ask) -> Result<(), IoError> {
        self.answered = Some(ask.stream_id);
        let sent = self.send(ask);
        let wanted = self.answered.take().is_some();
        match sent {
            Err(Stopped::Link(error)) => Err(error),
            Err(Stopped::Refused(refusal)) if wanted => self.refuse(ask.stream_id, &refusal),
            _ => Ok(()),
        }
    }

    fn send(&mut self, ask: &Ask) -> Result<(), Stopped> {
        let mut file = FileReader::open(&ask.place, Policy::STRICT)?;
        let (mut reader, index) = file.ranges();
        let mut bytes = Vec::new();
        for entry in index.in_order().skip_while(|entry| entry.name != ask.key) {
            let tensor = tensor(&mut reader, entry, &mut bytes)?;
            let placed = Placed {
                view: tensor.descriptor(),
                alignment: ask.alignment,
            };
            self.link.session().answer(ask.stream_id, &placed)?;
            pieces(reader.source_mut(), &tensor, |payload| {
                self.link.session().data(ask.stream_id, payload.bytes)?;
                self.hear(false).map_err(Stopped::Link)?;
                match self.answered {
                    Some(_) => Ok(()),
                    None => Err(Stopped::Unwanted),
                }
            })?;
            self.link.session().end(ask.stream_id)?;
            if !self.link.session().is_under_way(ask.stream_id) {
                return Ok(());
            }
            self.hear(false).map_err(Stopped::Link)?;
            if self.answered.is_none() {
                return Err(Stopped::Unwanted);
            }
        }
        let text = "the file has not all of it any more";
        Err(Stopped::Refused(Refusal::new(super::STORAGE, text)))
    }
}

/// A descriptor with its buffers in the memory of a CPU, wherever its producer had them, and aligned as the client
/// asks for.
struct Placed<'a> {
    view: &'a DescriptorView<'a>,
    alignment: u32,
}

impl Fields for Placed<'_> {
    fn buffer(&self, index: usize) -> Option<BufferHandle> {
        let handle = self.view.buffer(index)?;
        let aligned = handle.alignment.max(self.alignment);
        Some(BufferHandle {
            // no bytes are aligned as they are
            alignment: match handle.byte_size {
                0 => handle.alignment,
                _ => aligned,
            },
            device_tag: DeviceTag::Cpu,
            memory_class: MemoryClass::Standard,
            sync_mode: SyncMode::ProducerSynced,
            ..handle
        })
    }

    fn element_type(&self) -> hrry::ElementType {
        self.view.element_type()
    }
    fn shape(&self) -> U64s<'_> {
        self.view.shape()
    }
    fn byte_offset(&self) -> u64 {
        self.view.byte_offset()
    }
    fn layout(&self) -> Layout<'_> {
        self.view.layout()
    }
    fn buffer_count(&self) -> usize {
        self.view.buffer_count()
    }
    fn quantization(&self) -> Option<Quantization<'_>> {
        self.view.quantization()
    }
    fn shard(&self) -> Option<Shard<'_>> {
        self.view.shard()
    }
    fn statistics(&self) -> Option<Statistics> {
        self.view.statistics()
    }
    fn extension_type(&self) -> Option<ExtensionType> {
        self.view.extension_type()
    }
    fn member_role(&self) -> Option<MemberRole> {
        self.view.member_role()
    }
}
