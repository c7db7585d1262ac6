//! Contents of one tensor: judged whole against in pieces, strict against permissive.

use hrry::{ContentError, ContentScan, DescriptorView, ErrorKind, Policy, Rule, check_content};

use crate::source::{next, seed, split};

/// Panics where the ways differ. The input is a stream of one tensor, whose buffers may end early.
pub fn content(data: &[u8]) {
    let [strict, permissive] = [Policy::STRICT, Policy::PERMISSIVE].map(|policy| {
        let (view, rest) = DescriptorView::parse(data, &policy).ok()?;
        Some(every_way(&view, &split(&view, rest).0, &policy))
    });
    match (strict, permissive) {
        (Some(Ok(relaxed)), same) => {
            assert_eq!((relaxed.as_slice(), same), (&[][..], Some(Ok(vec![]))))
        }
        (Some(Err(error)), Some(Ok(relaxed))) => {
            let rule = error.rule().expect("a capacity stays one");
            assert!(relaxed.contains(&rule), "{error:?}, but {relaxed:?}");
        }
        (Some(Err(strict)), Some(Err(permissive))) => {
            let relaxed = strict.rule().is_some_and(Rule::relaxed);
            assert!(relaxed || strict == permissive, "{strict:?} {permissive:?}");
        }
        (Some(Err(error)), None) => panic!("only permissive mode refuses: {error:?}"),
        (None, _) => {}
    }
}

type Verdict = Result<Vec<Rule>, ContentError>;

fn every_way(view: &DescriptorView<'_>, buffers: &[&[u8]], policy: &Policy) -> Verdict {
    let mut scan = ContentScan::new(view, policy);
    // what does not fit into the input is not there
    let mut scratch = vec![0; scan.scratch_words().min(1 << 12) as usize];
    let whole = scan.buffers(view, buffers, &mut scratch);
    assert_eq!(check_content(view, buffers, &mut scratch, policy), whole);
    if let Err(error) = whole {
        assert!(
            usize::from(error.buffer) < buffers.len().max(1),
            "{error:?}"
        );
        if let ErrorKind::Rule(violation) = error.kind {
            let handle = view
                .buffer(error.buffer.into())
                .expect("it has that buffer");
            assert!(error.offset <= handle.byte_size, "{violation:?}");
        }
    }
    let whole = whole.map(|()| scan.relaxed().collect::<Vec<_>>());
    let mut state = seed(view.as_bytes());
    assert_eq!(pieces(view, buffers, policy, &mut scratch, || 1), whole);
    let cut = || 1 + next(&mut state) as usize % 20;
    assert_eq!(pieces(view, buffers, policy, &mut scratch, cut), whole);
    whole
}

fn pieces(
    view: &DescriptorView<'_>,
    buffers: &[&[u8]],
    policy: &Policy,
    scratch: &mut [u64],
    mut size: impl FnMut() -> usize,
) -> Verdict {
    let mut scan = ContentScan::new(view, policy);
    let mut kept = vec![Vec::new(); buffers.len()];
    for (k, bytes) in buffers.iter().enumerate() {
        let mut at = 0;
        while at < bytes.len() {
            let piece = &bytes[at..bytes.len().min(at + size())];
            if scan.keeps(k) {
                kept[k].extend_from_slice(piece);
            }
            scan.payload(view, k as u8, at as u64, piece, &kept)?;
            at += piece.len();
        }
    }
    scan.finish(view, &kept, scratch)?;
    Ok(scan.relaxed().collect())
}
