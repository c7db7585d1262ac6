//! A cache of attention keys in pages: two sequences that share their first page, int8 codes with a scale
//! for each token.
//!
//! `cargo run --example kv_cache_pages`
//!
//! How many tokens a sequence has is not in the format; the server that keeps the cache knows. Nothing is
//! copied to find a token, and nothing here needs an allocator but the printed rows.

use hrry::{
    BlockPaged, BlockTableIndexType, BufferHandle, DescriptorSpec, ElementType, KvRole, Layout,
    Pages, Policy, Quantization, check, check_content, read_tokens,
};

const PAGE_SIZE: usize = 4;
const PAGES: usize = 3;
const HEADS: usize = 2;
const DIMENSIONS: usize = 4;
const TOKEN: usize = HEADS * DIMENSIONS;
/// Tokens of each sequence: the second one ends inside its last page.
const TOKENS: [u64; 2] = [8, 6];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // page 0 is the prompt that both share; page 2 goes on with sequence 0, page 1 with sequence 1
    let block_table = [0u32, 2, 0, 1].map(u32::to_le_bytes);
    let seq_ptr = [0u32, 2, 4].map(u32::to_le_bytes);
    let (codes, scales) = pool();
    let sizes = [codes.len(), 16, 12, scales.len() * 4];
    let handles = sizes.map(|size| BufferHandle::cpu(size as u64, 64));
    let layout = Layout::BlockPaged(BlockPaged {
        page_size: PAGE_SIZE as u32,
        num_pages: PAGES as u64,
        paged_axis: 0,
        num_seqs: 2,
        kv_role: KvRole::Key,
        layer_index: 0,
        block_table_index_type: BlockTableIndexType::U32,
    });
    let shape = [TOKENS.iter().sum(), HEADS as u64, DIMENSIONS as u64];
    let block = PAGE_SIZE as u32;
    let cache = DescriptorSpec {
        quantization: Some(Quantization::per_block(
            0,
            block,
            3,
            None,
            ElementType::Float32,
        )),
        ..DescriptorSpec::new(ElementType::Int8, &shape, layout, &handles)
    };
    let scales = scales.map(f32::to_le_bytes);
    let buffers: [&[u8]; 4] = [
        &codes,
        block_table.as_flattened(),
        seq_ptr.as_flattened(),
        scales.as_flattened(),
    ];
    // as strictly as a reader would look at it, page numbers and scales too
    check::descriptor(&cache, &Policy::STRICT)?;
    check_content(&cache, &buffers, &mut [], &Policy::STRICT)?;

    let pages = Pages::new(&cache, &buffers)?;
    let shared = (0..4).all(|token| pages.slot(0, token) == pages.slot(1, token));
    println!("both sequences begin with the same page: {shared}");
    assert!(shared);

    for (sequence, tokens) in (0..).zip(TOKENS) {
        let mut keys = vec![0.0f32; tokens as usize * TOKEN];
        read_tokens(&cache, &buffers, sequence, 0..tokens, &mut keys)?;
        let last = keys.len() - TOKEN;
        println!("sequence {sequence}, its last token: {:?}", &keys[last..]);
    }

    // one head of one token, as an attention kernel asks for it
    let mut token = [0.0f32; TOKEN];
    read_tokens(&cache, &buffers, 0, 5..6, &mut token)?;
    assert_eq!(
        token[DIMENSIONS..],
        [-9.0, -9.0, -9.0, -9.0].map(|x: f32| x * 0.5)
    );
    println!("token 5 of sequence 0, head 1: {:?}", &token[DIMENSIONS..]);

    let beyond = read_tokens(&cache, &buffers, 1, 8..9, &mut token).unwrap_err();
    println!("token 8 of sequence 1, which has two pages of four: {beyond}");
    Ok(())
}

/// Codes of all slots, and a scale for each slot. The code of head 0 is the slot, that of head 1 its
/// negative.
fn pool() -> ([u8; PAGES * PAGE_SIZE * TOKEN], [f32; PAGES * PAGE_SIZE]) {
    let mut codes = [0; PAGES * PAGE_SIZE * TOKEN];
    for (slot, token) in codes.chunks_mut(TOKEN).enumerate() {
        let (first, second) = token.split_at_mut(DIMENSIONS);
        first.fill(slot as u8);
        second.fill((slot as u8).wrapping_neg());
    }
    (codes, [0.5; PAGES * PAGE_SIZE])
}
