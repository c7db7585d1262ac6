//! Prints what decoders take of memory on a 32-bit target: their size, and the deepest stack of decoding
//! a partition of rank 8, and of reading and writing a container, measured by painting.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::mem::size_of;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use hrry::{
    Arena, BufferHandle, Cover, DescriptorSpec, DescriptorView, ElementType, Exact, FileItems,
    FileOptions, FileView, FixedFile, FixedFileWriter, FixedStream, InlineArena, Key, Keyed,
    Layout, Policy, Region, Sink, StreamDecoder, WriteError,
};
use panic_semihosting as _;

const STREAM: &[u8] = include_bytes!("../../../../vectors/streams/s-ok-part-rank8.bin");

const FILE: &[u8] = include_bytes!("../../../../vectors/files/f-ok-kv-all.hrry");

type Parser = FixedFile<256, 64, 64>;
type Writer = FixedFileWriter<Count, 256, 64>;

type Decoder<C> = StreamDecoder<[u8; 256], C, InlineArena<64>>;

#[entry]
fn main() -> ! {
    hprintln!("size DescriptorView {}", size_of::<DescriptorView>());
    hprintln!("size FixedStream<256> {}", size_of::<FixedStream<256>>());
    hprintln!("size Decoder<Keyed> {}", size_of::<Decoder<Keyed>>());
    hprintln!("size Decoder<Exact> {}", size_of::<Decoder<Exact>>());
    let (empty, ()) = measure(|| ());
    let (control, sum) = measure(kilobyte);
    // the method works: a kilobyte is a kilobyte, nothing is nothing
    assert!(empty < 64 && (1024..1024 + 128).contains(&control) && sum == 1024);
    hprintln!("stack view {}", measure(view).0);
    let mut decoder = Decoder::with_parts(
        [0; 256],
        Keyed(Key([3, 5])),
        InlineArena::new(),
        Policy::STRICT,
    );
    let (stack, events) = measure(|| decode(&mut decoder));
    hprintln!("stack Decoder<Keyed> {}", stack);
    let mut decoder = Decoder::with_parts([0; 256], Exact, InlineArena::new(), Policy::STRICT);
    let (stack, same) = measure(|| decode(&mut decoder));
    hprintln!("stack Decoder<Exact> {}", stack);
    assert!(events > 2 && events == same);
    files();
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

#[inline(never)]
fn files() {
    hprintln!("size FileView {}", size_of::<FileView>());
    hprintln!("size FixedFile<256,64,64> {}", size_of::<Parser>());
    hprintln!("size FixedFileWriter<256,64> {}", size_of::<Writer>());
    hprintln!("stack file_view {}", measure(file_view).0);
    let mut words = [0; 64];
    hprintln!(
        "stack file_scratch {}",
        measure(|| file_scratch(&mut words)).0
    );
    let mut parser = Parser::new(Policy::STRICT, Some(Region::Count(1)));
    hprintln!(
        "stack file_parser {}",
        measure(|| file_parser(&mut parser)).0
    );
    let writer = Writer::new(Count(0), &FileOptions::PLAIN, Policy::STRICT);
    let mut writer = writer.expect("a counter takes everything");
    let (stack, written) = measure(|| file_writer(&mut writer));
    assert!(written.is_ok());
    hprintln!("stack file_writer {}", stack);
}

#[inline(never)]
fn file_view() {
    let policy = Policy::STRICT;
    let file = FileView::open(black_box(FILE), &policy).unwrap();
    let entry = file.entries().next().unwrap();
    let entry = file.find(black_box(entry.name)).unwrap();
    let tensor = file.tensor(&entry, &policy).unwrap();
    assert!(black_box(tensor.buffer(0)).is_some());
}

#[inline(never)]
fn file_scratch(words: &mut [u64]) {
    let policy = Policy::STRICT;
    let opened = FileView::open_with_scratch(black_box(FILE), &policy, words);
    let (file, index) = opened.unwrap();
    let arena = InlineArena::<64>::new();
    let mut items = FileItems::new(file, index, Exact, arena, policy);
    while let Some(item) = items.next_item().unwrap() {
        black_box(item);
    }
    items.finish().unwrap();
}

#[inline(never)]
fn file_parser(parser: &mut Parser) {
    for mut chunk in black_box(FILE).chunks(50) {
        while let Some(event) = parser.next_event(&mut chunk).unwrap() {
            black_box(event);
        }
    }
    parser.finish().unwrap();
}

/// A sink that counts.
struct Count(u64);

impl Sink for Count {
    type Error = u32;

    fn put(&mut self, bytes: &[u8]) -> Result<(), u32> {
        self.0 += black_box(bytes).len() as u64;
        Ok(())
    }
}

/// One tensor; the writer itself is the caller's.
#[inline(never)]
fn file_writer(writer: &mut Writer) -> Result<(), WriteError<u32>> {
    let buffers = [BufferHandle::cpu(8, 64)];
    let spec = DescriptorSpec::new(ElementType::UInt8, &[8], Layout::RowMajor, &buffers);
    writer.begin("weights", black_box(&spec))?;
    writer.payload(black_box(&[0; 8]))?;
    writer.end()
}

#[inline(never)]
fn view() {
    let view = DescriptorView::parse(black_box(STREAM), &Policy::STRICT);
    assert!(black_box(view).is_ok());
}

/// Pushes the stream in pieces and counts events; all of it must be accepted.
#[inline(never)]
fn decode<C: Cover, A: Arena>(decoder: &mut StreamDecoder<[u8; 256], C, A>) -> u32 {
    let mut events = 0;
    for mut chunk in black_box(STREAM).chunks(50) {
        while let Some(event) = decoder.next_event(&mut chunk).unwrap() {
            black_box(event);
            events += 1;
        }
    }
    decoder.finish().unwrap();
    events
}

#[inline(never)]
fn kilobyte() -> u32 {
    let mut bytes = [1u8; 1024];
    black_box(&mut bytes);
    bytes.iter().map(|byte| u32::from(*byte)).sum()
}

unsafe extern "C" {
    /// The lowest word that the stack may reach, from the linker script.
    static mut _stack_end: u32;
}

const PAINT: u32 = 0xCCCC_CCCC;

/// Bytes of stack below here that a call writes to.
#[inline(never)]
fn measure<R>(call: impl FnOnce() -> R) -> (usize, R) {
    let lowest = &raw mut _stack_end;
    let pointer: usize;
    // SAFETY: only reads a register
    unsafe { core::arch::asm!("mov {}, sp", out(reg) pointer) };
    let words = (pointer - lowest as usize) / 4;
    for k in 0..words {
        // SAFETY: between the end of the stack and its pointer nothing is alive
        unsafe { lowest.add(k).write_volatile(PAINT) };
    }
    let result = call();
    // SAFETY: as above
    let painted = (0..words).take_while(|k| unsafe { lowest.add(*k).read_volatile() } == PAINT);
    (4 * (words - painted.count()), result)
}
