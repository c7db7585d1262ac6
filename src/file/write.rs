//! Writing a container: one forward pass, and the index in memory that the caller lends.

use core::ops::Range;

use super::crc::crc32c;
use super::entry::Places;
use super::forward::Forward;
use super::keys::{put_section, section_len};
use super::kv::KvEntry;
use super::options::FileOptions;
use super::sections::{FileHeader, Trailer, require_alignment};
use super::table::Table;
use super::tensor::{Placement, place_of};
use crate::check::Judge;
use crate::composite::{Arena, Cover, Exact, InlineArena};
use crate::descriptor::{Order, Sink, WriteError};
use crate::error::{Error, Field, Violation};
use crate::frame::Storage;
use crate::model::Fields;
use crate::policy::Policy;
use crate::rule::Rule;
use crate::stream::turns::{NO_POSITION, Turns, require_whole};
use crate::wire::container::{INDEX_HEAD, PLACEMENT, align_up};
use crate::wire::length;
use crate::wire::tag::SyncMode;

/// Writes a container and refuses what a reader would refuse.
///
/// For each tensor: [`begin`](Self::begin) with its name and descriptor, [`payload`](Self::payload) with
/// the bytes of all its buffers in table order, in pieces of any size, [`end`](Self::end); or all at once
/// with [`tensor`](Self::tensor). Then [`finish`](Self::finish). The writer places descriptors and
/// buffers, puts zeros between them, and never goes back. The same validator as in a reader watches over
/// composites.
///
/// The storage holds the index as it will be written: 34 bytes and the name for each tensor; while a
/// tensor is open, also 8 bytes for each of its buffers behind the first. Rules of the container hold in
/// permissive mode too.
///
/// ```
/// use hrry::{
///     BufferHandle, DescriptorSpec, ElementType, FileOptions, FileView, FixedFileWriter, KvEntry, KvValue,
///     Layout, Policy, SliceSink,
/// };
///
/// let mut options = FileOptions::PLAIN;
/// options.has_kv_metadata = true;
/// let buffers = [BufferHandle::cpu(8, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[8], Layout::RowMajor, &buffers);
///
/// let mut memory = [0; 8192];
/// let sink = SliceSink::new(&mut memory);
/// let mut writer = FixedFileWriter::<_, 256, 64>::new(sink, &options, Policy::STRICT)?;
/// writer.begin("weights", &spec)?;
/// writer.payload(&[1, 2, 3])?;
/// writer.payload(&[4, 5, 6, 7, 8])?;
/// writer.end()?;
/// let value = KvValue::String("a sensor");
/// let (sink, len) = writer.finish_with_kv([KvEntry { key: "model", value }])?;
/// assert_eq!(sink.written().len() as u64, len);
///
/// let file = FileView::open(sink.written(), &Policy::STRICT)?;
/// let entry = file.find("weights").expect("it was written");
/// // header and descriptor take 64 + 53 bytes, and the buffer starts at the next multiple of 4,096
/// assert_eq!((entry.descriptor_offset, entry.data_offset), (64, 4096));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileWriter<W, S, C, A> {
    out: Forward<W>,
    header: FileHeader,
    turns: Turns<C, A>,
    table: Table<S>,
    /// Where the next descriptor or section starts.
    next: u64,
    data: Data,
}

/// Where the payload of the open tensor goes.
#[derive(Clone, Debug)]
struct Data {
    placement: Placement,
    /// What is left of the current buffer.
    place: Range<u64>,
    /// The buffers behind it.
    others: Range<usize>,
}

/// A writer with `I` bytes for the index and `N` words for open composites inside, checking covers
/// exactly.
pub type FixedFileWriter<W, const I: usize, const N: usize> =
    FileWriter<W, [u8; I], Exact, InlineArena<N>>;

impl<W: Sink, const I: usize, const N: usize> FixedFileWriter<W, I, N> {
    /// Writes the header of a file.
    ///
    /// # Errors
    ///
    /// FILE-05 for an alignment that is none, before anything is written; the sink's own errors.
    pub fn new(
        sink: W,
        options: &FileOptions,
        policy: Policy,
    ) -> Result<Self, WriteError<W::Error>> {
        FileWriter::with_parts(sink, options, [0; I], Exact, InlineArena::new(), policy)
    }
}

impl<W: Sink, S: Storage, C, A> FileWriter<W, S, C, A> {
    /// Writes the header of a file, and goes on with these parts.
    ///
    /// # Errors
    ///
    /// FILE-05 for an alignment that is none, before anything is written; the sink's own errors.
    pub fn with_parts(
        sink: W,
        options: &FileOptions,
        index: S,
        cover: C,
        arena: A,
        policy: Policy,
    ) -> Result<Self, WriteError<W::Error>> {
        let header = options.header();
        require_alignment(&mut &Policy::STRICT, header.data_buffer_alignment).map_err(refused)?;
        let mut out = Forward::new(sink);
        out.put(&header.bytes()).map_err(WriteError::Sink)?;
        Ok(FileWriter {
            out,
            header,
            turns: Turns::new(cover, arena, policy),
            table: Table::new(index),
            next: header.first_descriptor_offset,
            data: Data {
                placement: Placement::new(0, header.data_buffer_alignment),
                place: 0..0,
                others: 0..0,
            },
        })
    }
}

impl<W: Sink, S: Storage, C: Cover, A: Arena> FileWriter<W, S, C, A> {
    /// Starts a tensor, the head of a composite, or a member.
    ///
    /// # Errors
    ///
    /// Before anything of the tensor is written: everything that [`encode_to`](crate::encode_to) and
    /// [`CompositeValidator::begin`](crate::CompositeValidator::begin) refuse; FILE-17 for a name that is
    /// empty, longer than 65,535 bytes or there already; FILE-18 for one that does not ascend although that
    /// was promised; FILE-45 for a buffer that asks for more than the file's alignment, or for
    /// synchronisation; STREAM-11 where the tensor before was not ended; a capacity error for a full
    /// index. Then the sink's own errors. After those, and after a capacity error of the validator, the
    /// writer stops.
    ///
    /// A name that is not above all others is compared with each of them.
    pub fn begin<F: Fields + ?Sized>(
        &mut self,
        name: &str,
        d: &F,
    ) -> Result<(), WriteError<W::Error>> {
        self.begin_named(name, false, d)
    }

    /// The same with a name of which the caller may know that it is new.
    pub(crate) fn begin_named<F: Fields + ?Sized>(
        &mut self,
        name: &str,
        is_new: bool,
        d: &F,
    ) -> Result<(), WriteError<W::Error>> {
        let item = self.turns.prepare(d)?;
        let alignment = self.header.data_buffer_alignment;
        require_at_rest(d, alignment)?;
        let placed = place(d, self.next, item.descriptor.encoded_len(), alignment);
        let (places, next) = placed.ok_or(WriteError::Refused(NO_POSITION))?;
        let sorted = self.header.is_sorted();
        let stored = self.table.store(name, is_new, sorted, &places, d);
        let stored = stored.map_err(WriteError::Refused)?;
        self.turns.begin(d)?;
        self.out.pad_to(self.next).map_err(WriteError::Sink)?;
        let written = item.descriptor.encode_to(&mut self.out);
        written.map_err(WriteError::Sink)?;
        self.table.keep(stored);
        self.next = next;
        let mut placement = Placement::new(places.data_offset, alignment);
        let first = d.buffer(0).map_or(0, |handle| handle.byte_size);
        self.data = Data {
            place: placement.place(first).unwrap_or(0..0),
            placement,
            others: 1..d.buffer_count(),
        };
        self.turns.go_on(item.payload);
        Ok(())
    }

    /// Writes the next bytes of the tensor's buffers.
    ///
    /// # Errors
    ///
    /// STREAM-10 without a tensor or with more bytes than its buffers take, before anything is written;
    /// the sink's own errors.
    pub fn payload(&mut self, bytes: &[u8]) -> Result<(), WriteError<W::Error>> {
        let left = self.turns.pay(bytes.len())?;
        self.fill(bytes).map_err(WriteError::Sink)?;
        self.turns.go_on(left);
        Ok(())
    }

    /// Ends the tensor; that of the last member closes its composite.
    ///
    /// # Errors
    ///
    /// STREAM-10 without a tensor or while its buffers miss bytes; COMP-43, and COMP-42 where the method
    /// finds overlaps at the close, of the composite that closes. What is written then can be no valid
    /// file, and the writer stops.
    pub fn end(&mut self) -> Result<(), WriteError<W::Error>> {
        self.turns.end()
    }

    /// A composite of which a part is out can no longer be whole.
    #[cfg(feature = "std")]
    pub(crate) const fn give_up(&mut self) {
        self.turns.give_up();
    }

    /// Writes a whole tensor: one slice for each buffer, of exactly its size. Slices that are left out, or
    /// left over, count as empty.
    ///
    /// # Errors
    ///
    /// As [`begin`](Self::begin) and [`end`](Self::end); STREAM-10 before anything is written where slices
    /// and buffers differ.
    pub fn tensor<F: Fields + ?Sized>(
        &mut self,
        name: &str,
        d: &F,
        buffers: &[&[u8]],
    ) -> Result<(), WriteError<W::Error>> {
        require_whole(d, buffers)?;
        self.begin(name, d)?;
        for bytes in buffers {
            self.payload(bytes)?;
        }
        self.end()
    }

    /// Ends the file, and gives back the sink and how many bytes it took. A key-value section that was
    /// announced is there without keys.
    ///
    /// # Errors
    ///
    /// STREAM-10 and STREAM-11 inside a tensor or a composite, or after a failure; the sink's own errors.
    /// The sink is gone then, and what it holds is no valid file.
    pub fn finish(self) -> Result<(W, u64), WriteError<W::Error>> {
        self.finish_with_kv([])
    }

    /// Ends the file with what it says about itself. The entries are walked more than once, and each key is
    /// compared with all others. What [`kv`](crate::FileDirectory::kv) of another file gives may be handed
    /// on as it is.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish); FILE-38 for entries without a section that was announced, FILE-33 for a
    /// key that is empty, longer than 65,535 bytes or there twice, FILE-37 for a section of 2^32 bytes or
    /// more.
    pub fn finish_with_kv<'k, K>(mut self, kv: K) -> Result<(W, u64), WriteError<W::Error>>
    where
        K: IntoIterator<Item = KvEntry<'k>>,
        K::IntoIter: Clone,
    {
        self.turns.finish()?;
        let kv = kv.into_iter();
        let mut trailer = Trailer {
            index_offset: self.next,
            index_length: 0,
            kv_offset: 0,
            kv_length: 0,
            index_crc32c: 0,
        };
        if self.header.has_kv_metadata() {
            trailer.kv_length = section_len(kv.clone()).map_err(refused)?;
            trailer.kv_offset = self.next;
            let end = self.next.checked_add(trailer.kv_length.into());
            let behind = end.and_then(|end| align_up(end, PLACEMENT));
            trailer.index_offset = behind.ok_or(WriteError::Refused(NO_POSITION))?;
        } else if kv.clone().next().is_some() {
            return Err(WriteError::Order(Order::NoKvSection));
        }
        self.close(trailer, kv).map_err(WriteError::Sink)?;
        Ok(self.out.into_parts())
    }

    /// Writes what stands behind the tensors.
    fn close<'k>(
        &mut self,
        mut trailer: Trailer,
        kv: impl Iterator<Item = KvEntry<'k>> + Clone,
    ) -> Result<(), W::Error> {
        self.out.pad_to(self.next)?;
        if trailer.kv_offset > 0 {
            put_section(kv, &mut self.out)?;
        }
        self.out.pad_to(trailer.index_offset)?;
        let (count, entries) = self.table.index();
        self.out.put(&count)?;
        self.out.put(entries)?;
        trailer.index_length = length(INDEX_HEAD.saturating_add(entries.len()));
        trailer.index_crc32c = crc32c(crc32c(0, &count), entries);
        self.out.put(&trailer.bytes())
    }

    /// Puts counted bytes where the buffers lie.
    fn fill(&mut self, mut bytes: &[u8]) -> Result<(), W::Error> {
        while let (false, Some(room)) = (bytes.is_empty(), self.room()) {
            let room = usize::try_from(room).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            self.out.pad_to(self.data.place.start)?;
            self.out.put(now)?;
            let put = length(now.len());
            self.data.place.start = self.data.place.start.saturating_add(put);
            bytes = later;
        }
        Ok(())
    }

    /// What is left of the buffer that takes the next byte; none behind the last.
    fn room(&mut self) -> Option<u64> {
        while self.data.place.is_empty() {
            let size = self.table.size(self.data.others.next()?)?;
            self.data.place = self.data.placement.place(size)?;
        }
        Some(self.data.place.end.saturating_sub(self.data.place.start))
    }
}

/// Where a tensor lies whose descriptor starts at `start` and has `len` bytes, and what comes next.
fn place<F: Fields + ?Sized>(d: &F, start: u64, len: u32, alignment: u32) -> Option<(Places, u64)> {
    let end = start.checked_add(len.into())?;
    let (data, next) = match d.buffer_count().checked_sub(1) {
        Some(last) => {
            let data_offset = align_up(end, alignment.into())?;
            let data_end = place_of(d, data_offset, alignment, last)?.end;
            (data_offset..data_end, align_up(data_end, PLACEMENT)?)
        }
        None => {
            let next = align_up(end, PLACEMENT)?;
            (next..next, next)
        }
    };
    let places = Places {
        descriptor_offset: start,
        descriptor_length: len,
        data_offset: data.start,
        data_length: data.end.saturating_sub(data.start),
    };
    Some((places, next))
}

/// Requires of buffers that a file can keep what their handles say.
fn require_at_rest<F: Fields + ?Sized>(d: &F, alignment: u32) -> Result<(), Violation> {
    let judge = &mut &Policy::STRICT;
    for (k, handle) in (0..).zip((0..).map_while(|k| d.buffer(k))) {
        let mut hold = |holds, field| judge.require(holds, Rule::HandleAtRest, field, k);
        hold(handle.alignment <= alignment, Field::Alignment)?;
        let synced = handle.sync_mode == SyncMode::ProducerSynced;
        hold(synced, Field::SyncMode)?;
    }
    Ok(())
}

fn refused<E>(error: Error) -> WriteError<E> {
    WriteError::Refused(error.kind())
}
