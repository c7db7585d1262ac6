//! Small containers of the vectors, where their parts are, and what becomes of them when a byte changes.

use core::ops::Range;

use hrry::Region;

/// Bytes of the largest sample.
pub const LARGEST: usize = 4242;

/// A container, and what is known of it beforehand.
pub struct Sample {
    /// Names of what is checked.
    pub whole: &'static str,
    pub cut: &'static str,
    pub changed: &'static str,
    pub told: &'static str,
    pub every: &'static str,
    pub bytes: &'static [u8],
    /// Whether the checksum of the index is taken out.
    pub bare: bool,
    /// Where tensors end.
    pub region_end: u64,
    /// Bytes of buffers.
    pub data: Range<usize>,
    /// Bytes between sections.
    pub padding: [Range<usize>; 3],
    /// Where a file that is cut ends as if it were whole.
    pub like_an_end: Option<usize>,
    /// How many of the changed files `FileView` accepts in strict mode.
    pub accepted: u32,
    /// All verdicts on changed files.
    pub digest: u64,
}

macro_rules! sample {
    ($name:literal $suffix:literal, $($field:ident: $value:expr),*) => {
        Sample {
            whole: concat!("files: ", $name, $suffix),
            cut: concat!("files: ", $name, $suffix, ", cut"),
            changed: concat!("files: ", $name, $suffix, ", changed"),
            told: concat!("files: ", $name, $suffix, ", verdicts as everywhere"),
            every: concat!("files: ", $name, $suffix, ", every change"),
            bytes: include_bytes!(concat!("../../../vectors/files/", $name, ".hrry")),
            $($field: $value),*
        }
    };
}

const NONE: Range<usize> = 0..0;

/// A tensor with data; heads of composites with keys, and without; keys of most types; nothing.
#[rustfmt::skip]
pub static SAMPLES: [Sample; 8] = [
    sample!("f-ok-ref-unicode" "", bare: false, region_end: 4144, data: 4096..4144,
        padding: [125..4096, NONE, NONE], like_an_end: None, accepted: 373, digest: 0x097E_AB61_1965_1D27),
    sample!("f-ok-ref-unicode" " without checksum", bare: true, region_end: 4144, data: 4096..4144,
        padding: [125..4096, NONE, NONE], like_an_end: None, accepted: 389, digest: 0x6299_22B2_0EE5_D20F),
    // the second descriptor starts like a trailer ends
    sample!("f-ok-kv-nocrc-sorted" "", bare: true, region_end: 160, data: NONE,
        padding: [109..112, 157..160, 188..192], like_an_end: Some(116), accepted: 217, digest: 0xFE1A_08AA_EA67_7188),
    sample!("f-ok-head-data-offset" "", bare: false, region_end: 112, data: NONE,
        padding: [109..112, NONE, NONE], like_an_end: None, accepted: 64, digest: 0x9BD0_DC05_5BE1_4A05),
    sample!("f-ok-head-data-offset" " without checksum", bare: true, region_end: 112, data: NONE,
        padding: [109..112, NONE, NONE], like_an_end: None, accepted: 89, digest: 0x56FB_28A2_CC9C_3F40),
    sample!("f-ok-kv-limits" "", bare: false, region_end: 64, data: NONE,
        padding: [145..152, NONE, NONE], like_an_end: None, accepted: 191, digest: 0xD211_034F_D049_F4E3),
    sample!("f-ok-kv-limits" " without checksum", bare: true, region_end: 64, data: NONE,
        padding: [145..152, NONE, NONE], like_an_end: None, accepted: 191, digest: 0x3F4E_44C5_326A_19C3),
    sample!("f-ok-no-tensors" "", bare: false, region_end: 64, data: NONE,
        padding: [NONE, NONE, NONE], like_an_end: None, accepted: 27, digest: 0x5D8E_C91A_5027_23DA),
];

impl Sample {
    /// Puts the file into memory where it can be changed.
    pub fn put<'a>(&self, room: &'a mut [u8; LARGEST]) -> &'a mut [u8] {
        let len = self.bytes.len();
        let file = &mut room[..len];
        file.copy_from_slice(self.bytes);
        if self.bare {
            // the flag, and the checksum in the trailer
            file[12] &= !4;
            file[len - 12..len - 8].fill(0);
        }
        file
    }

    pub fn region(&self) -> Region {
        Region::EndsAt(self.region_end)
    }

    pub fn is_padding(&self, at: usize) -> bool {
        self.padding.iter().any(|range| range.contains(&at))
    }

    /// Where any byte will do for a reader that seeks: `container_version_minor`, `tensor_count_hint`, data,
    /// and padding.
    pub fn is_free(&self, at: usize) -> bool {
        at == 9 || (28..36).contains(&at) || self.data.contains(&at) || self.is_padding(at)
    }

    /// Where one value only will do for every reader: magic, major version, reserved bytes, most of the flags, of
    /// the alignment and of `first_descriptor_offset`; the last eight bytes of the trailer.
    pub fn is_fixed(&self, at: usize) -> bool {
        let header = at < 64 && !self.is_free(at) && ![12, 17, 20].contains(&at);
        header || at + 8 >= self.bytes.len()
    }
}
