//! Nesting up to the limits and beyond, and heads without end: no recursion, no state that grows.

use hrry::{
    CombineOp, CompositeHead, CompositionRule, DescriptorSpec, DescriptorView, ElementType, Error,
    FixedDecoder, Layout, Policy, Rule, encode,
};

const TILED_8: &[u8] = include_bytes!("../../vectors/descriptors/d-ok-tiled-depth8.bin");
const TILED_9: &[u8] = include_bytes!("../../vectors/descriptors/d-bad-tile-depth9.bin");
const GROUPS_8: &[u8] = include_bytes!("../../vectors/streams/s-ok-group-depth-8.bin");
const GROUPS_9: &[u8] = include_bytes!("../../vectors/streams/s-bad-depth-group-9.bin");
const PARTITIONS_8: &[u8] = include_bytes!("../../vectors/streams/s-ok-part-depth-8.bin");
const PARTITIONS_9: &[u8] = include_bytes!("../../vectors/streams/s-bad-depth-part-9.bin");

/// How many heads come without end.
#[cfg(not(miri))]
const HEADS: u32 = 100_000;
#[cfg(miri)]
const HEADS: u32 = 100;

type Decoder = FixedDecoder<512, 128>;

pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    let tiled = |bytes| {
        let parsed = DescriptorView::parse(bytes, &Policy::STRICT);
        parsed.map(|(view, _)| match view.layout() {
            Layout::Tiled(tiled) => tiled.levels().count(),
            _ => 0,
        })
    };
    check("deep: 8 levels of tiles", tiled(TILED_8) == Ok(8));
    check(
        "deep: 9 levels of tiles",
        rule(tiled(TILED_9)) == Some(Rule::TileLevels),
    );
    check("deep: 8 groups", deepest(GROUPS_8) == Ok(8));
    check(
        "deep: 9 groups",
        rule(deepest(GROUPS_9)) == Some(Rule::CompositeDepth),
    );
    check("deep: 8 partitions", deepest(PARTITIONS_8) == Ok(8));
    check(
        "deep: 9 partitions",
        rule(deepest(PARTITIONS_9)) == Some(Rule::CompositeDepth),
    );
    check("deep: heads in heads without end", nested());
    check("deep: empty heads without end", in_turn());
}

fn rule<T>(result: Result<T, Error>) -> Option<Rule> {
    result.err().and_then(|error| error.rule())
}

fn deepest(stream: &[u8]) -> Result<u8, Error> {
    let mut decoder = Decoder::new(Policy::STRICT);
    let mut deepest = 0;
    for mut chunk in stream.chunks(50) {
        while decoder.next_event(&mut chunk)?.is_some() {
            deepest = deepest.max(decoder.depth());
        }
    }
    decoder.finish()?;
    Ok(deepest)
}

/// A group head of 45 bytes.
fn head(member_count: u32) -> [u8; 45] {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count,
    };
    let spec = DescriptorSpec::new(ElementType::UInt8, &[1], Layout::Composite(head), &[]);
    let mut bytes = [0; 45];
    assert_eq!(encode(&spec, &mut bytes, &Policy::STRICT), Ok(45));
    bytes
}

/// Every head announces more heads than memory could hold; the ninth is refused, and the error stays.
fn nested() -> bool {
    let bytes = head(u32::MAX - 1);
    let mut decoder = Decoder::new(Policy::STRICT);
    (0..HEADS).all(|k| {
        let mut input: &[u8] = &bytes;
        let mut events = 0;
        let error = loop {
            match decoder.next_event(&mut input) {
                Ok(Some(_)) => events += 1,
                Ok(None) => break None,
                Err(error) => break Some((error.rule(), error.offset())),
            }
        };
        if k < 8 {
            error.is_none() && events == 2
        } else {
            // layout_tag is at 15
            error == Some((Some(Rule::CompositeDepth), 8 * 45 + 15)) && events == 0
        }
    })
}

/// A head without members closes at its own end.
fn in_turn() -> bool {
    let bytes = head(0);
    let mut decoder = Decoder::new(Policy::STRICT);
    for _ in 0..HEADS {
        let mut input: &[u8] = &bytes;
        while let Ok(Some(_)) = decoder.next_event(&mut input) {}
    }
    decoder.finish().is_ok() && decoder.depth() == 0 && decoder.offset() == 45 * u64::from(HEADS)
}
