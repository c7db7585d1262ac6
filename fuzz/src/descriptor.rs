//! One descriptor: at once against pushed, strict against permissive, decoded against encoded again.

use hrry::owned::GrowFrame;
use hrry::{DescriptorView, Error, ErrorKind, Event, Field, Policy, Rule, StreamParser, encode};

use crate::fields::assert_same;
use crate::source::seed;

/// Panics where the ways differ.
pub fn descriptor(data: &[u8]) {
    let strict = parse(data, &Policy::STRICT);
    let permissive = parse(data, &Policy::PERMISSIVE);
    match (&strict, &permissive) {
        (Ok(view), Ok(same)) => {
            assert_same(view, same);
            assert_eq!(view.check(&Policy::STRICT), Ok(()));
            view.relaxed(&Policy::PERMISSIVE, |breach| {
                panic!("accepted strictly, flagged {breach:?}")
            });
            canonical(view);
        }
        (Ok(_), Err(error)) => panic!("only permissive mode refuses: {error:?}"),
        (Err(error), Ok(view)) => {
            let broken = error.rule();
            let mut flagged = false;
            view.relaxed(&Policy::PERMISSIVE, |breach| {
                flagged |= Some(breach.rule) == broken
            });
            assert!(flagged, "permissive mode does not flag {broken:?}");
        }
        (Err(strict), Err(permissive)) => {
            let relaxed = matches!(strict.kind(), ErrorKind::Rule(v) if v.rule.relaxed());
            assert!(relaxed || strict == permissive, "{strict:?} {permissive:?}");
        }
    }
    for (policy, once) in [(Policy::STRICT, strict), (Policy::PERMISSIVE, permissive)] {
        for size in [data.len().max(1), 1, 7] {
            pushed(data, policy, once, size);
        }
        match once {
            Ok(view) => accepted(&view, &policy),
            Err(error) => assert!(error.offset() <= data.len() as u64, "{error:?}"),
        }
    }
}

fn parse<'a>(data: &'a [u8], policy: &Policy) -> Result<DescriptorView<'a>, Error> {
    DescriptorView::parse(data, policy).map(|(view, rest)| {
        assert_eq!(view.as_bytes().len() + rest.len(), data.len());
        view
    })
}

/// The same bytes through the push parser, in pieces.
fn pushed(data: &[u8], policy: Policy, once: Result<DescriptorView<'_>, Error>, size: usize) {
    let mut parser = StreamParser::with_storage(GrowFrame::new(), policy);
    for mut chunk in data.chunks(size) {
        match (parser.next_event(&mut chunk), once) {
            (Ok(None), _) => assert!(chunk.is_empty()),
            (Ok(Some(Event::Descriptor(view, _))), Ok(same)) => {
                assert_eq!(view.as_bytes(), same.as_bytes());
                return assert_same(&view, &same);
            }
            (Err(a), Err(b)) => return refused_alike(data, a, b),
            (event, once) => panic!("pushed {event:?}, at once {once:?}"),
        }
    }
    match (parser.finish(), once) {
        (Ok(()), Err(_)) => assert!(data.is_empty()),
        (Err(a), Err(b)) => refused_alike(data, a, b),
        (end, once) => panic!("pushed {end:?}, at once {once:?}"),
    }
}

/// Streams have their own names for an early end and for a file.
fn refused_alike(data: &[u8], stream: Error, once: Error) {
    assert_eq!(stream.offset(), once.offset(), "{stream:?} {once:?}");
    match (stream.kind(), once.kind()) {
        (ErrorKind::Truncated { missing: a, .. }, ErrorKind::Truncated { missing: b, .. }) => {
            assert_eq!(a, b);
        }
        (ErrorKind::Rule(v), ErrorKind::Rule(_)) if v.rule == Rule::FileNotStream => {
            assert!(data.starts_with(b"HRRYFILE"));
        }
        (a, b) => assert_eq!(a, b),
    }
}

/// What holds for every view.
fn accepted(view: &DescriptorView<'_>, policy: &Policy) {
    let bytes = view.as_bytes();
    let len = bytes.len() as u32;
    let mut at = 0;
    for (section, range) in view.sections() {
        assert_eq!(range.start, at, "{section:?}");
        at = range.end;
    }
    // behind a layout without a meaning nothing can be found
    assert!(at == len || view.is_opaque());
    for field in Field::ALL {
        if let Some(range) = view.locate(*field, 0) {
            assert!(range.start <= range.end && range.end <= len, "{field:?}");
        }
    }
    let short = seed(bytes) as usize % bytes.len();
    assert!(DescriptorView::parse(&bytes[..short], policy).is_err());
    if !view.is_opaque() {
        let mut out = [0xA5; 70_000];
        // the data of a private layout or scheme may be longer
        if let Ok(len) = encode(view, &mut out, policy) {
            let again = parse(&out[..len], policy).expect("what was written");
            assert_same(view, &again);
        } else {
            assert!(bytes.len() > out.len() / 2);
        }
    }
}

/// Encoding gives the same bytes, but for what a writer of this version leaves out.
fn canonical(view: &DescriptorView<'_>) {
    let mut out = [0xA5; 4096];
    let Ok(len) = encode(view, &mut out, &Policy::STRICT) else {
        return;
    };
    let ignored = view
        .extension_type()
        .is_some_and(|e| e.is_float == 0 && (e.has_nan | e.has_inf) != 0);
    if view.version_minor() == 0 && len == view.as_bytes().len() && !ignored {
        assert_eq!(&out[..len], view.as_bytes());
    }
}
