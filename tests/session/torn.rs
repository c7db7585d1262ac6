//! Whatever a link does, data is whole and right or nobody says that it is.

use proptest::prelude::*;

use super::link::{DOWN, Fate, Item, State, Stored, UP, World, items};
use crate::support::bytes::encode;
use crate::support::scale::{Rng, every, scale};

/// What is stored under a key, as it may come: on one stream, or in any order on several.
fn is_right(stored: &Stored, got: &[(u32, Item)]) -> bool {
    let mut got: Vec<Item> = got.iter().map(|(_, item)| item.clone()).collect();
    match stored {
        Stored::Tree(node) => got == items(node),
        Stored::Nothing | Stored::Lost(..) => false,
        Stored::Shards(parts) => {
            let bytes: Vec<u8> = parts.iter().flat_map(|part| part.1.clone()).collect();
            if let [(_, whole)] = &got[..] {
                return *whole == bytes;
            }
            let parts = parts
                .iter()
                .map(|(plain, bytes)| (encode(plain), bytes.clone()));
            let mut parts: Vec<Item> = parts.collect();
            parts.sort();
            got.sort();
            got == parts
        }
    }
}

fn check_gets(world: &World) {
    for get in &world.gets {
        if get.state == State::Whole {
            let stored = &world.stored[get.key];
            assert!(is_right(stored, &get.items), "{get:?} of {stored:?}");
        }
    }
}

fn check_taken(world: &World) {
    for (_, key, item, whole) in &world.taken {
        if *whole {
            let node = &world.given[key.parse::<usize>().unwrap()];
            assert_eq!(*item, items(node)[0]);
        }
    }
}

/// What the client was told was taken is there.
fn check_puts(world: &World) {
    for (stream_id, which, state) in &world.puts {
        if *state == State::Whole {
            let taken = world.taken.iter().find(|taken| taken.0 == *stream_id);
            let (_, key, _, whole) = taken.unwrap();
            assert!(*whole && *key == which.to_string());
        }
    }
}

fn undisturbed(seed: u64, actions: usize) -> World {
    let mut world = World::new(seed, actions, Fate::default());
    world.run();
    assert!(world.is_done(), "seed {seed}");
    for party in [&world.client, &world.server] {
        assert_eq!(party.session.finish(), Ok(()), "seed {seed}");
        assert_eq!(party.session.closed(), None);
    }
    check_gets(&world);
    check_taken(&world);
    check_puts(&world);
    for get in &world.gets {
        let may_be: &[State] = match &world.stored[get.key] {
            Stored::Tree(_) => &[State::Whole, State::GivenUp, State::NoRoom],
            Stored::Nothing => &[State::Failed, State::NoRoom],
            Stored::Lost(..) => &[State::Failed, State::GivenUp, State::NoRoom],
            // where there is no room for all streams, the server gives up
            Stored::Shards(_) => &[State::Whole, State::GivenUp, State::NoRoom, State::Failed],
        };
        assert!(may_be.contains(&get.state), "seed {seed}: {get:?}");
    }
    for put in &world.puts {
        assert!(
            [State::Whole, State::NoRoom].contains(&put.2),
            "seed {seed}: {put:?}"
        );
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60 * scale() as u32))]

    #[test]
    fn links_that_cut_and_delay(seed: u64, actions in 0usize..20) {
        undisturbed(seed, actions);
    }

    #[test]
    fn links_that_end(seed: u64, actions in 1usize..12, up in 0.0..1.0f64, down in 0.0..1.0f64) {
        let whole = undisturbed(seed, actions);
        let place = |direction: usize, part: f64| (whole.sent[direction].len() as f64 * part) as usize;
        torn(seed, actions, [place(UP, up), place(DOWN, down)]);
    }

    /// A changed byte in a header is found, or does no harm. Nobody can tell one inside a payload, or which
    /// request a header belonged to.
    #[test]
    fn links_that_damage(seed: u64, actions in 1usize..12, part in 0.0..1.0f64, down: bool, difference in 1u8..) {
        let direction = usize::from(down);
        let whole = undisturbed(seed, actions);
        let at = (whole.sent[direction].len() as f64 * part) as usize;
        let mut world = World::new(seed, actions, Fate {
            flip: Some((direction, at, difference)),
            ..Fate::default()
        });
        world.run();
        let in_header = is_in_header(&world.sent[direction], at);
        if in_header && down {
            check_gets(&world);
        }
        if in_header && !down {
            check_taken(&world);
        }
    }
}

/// Whether a byte of what was sent is part of a header.
fn is_in_header(sent: &[u8], at: usize) -> bool {
    let mut start = 0;
    while start + 12 <= sent.len() {
        if (start..start + 12).contains(&at) {
            return true;
        }
        let len: [u8; 4] = sent[start + 8..start + 12].try_into().unwrap();
        start += 12 + u32::from_le_bytes(len) as usize;
    }
    false
}

/// The link ends after so many bytes in each direction.
fn torn(seed: u64, actions: usize, limits: [usize; 2]) {
    let mut world = World::new(
        seed,
        actions,
        Fate {
            limits: Some(limits),
            ..Fate::default()
        },
    );
    world.run();
    check_gets(&world);
    check_taken(&world);
    check_puts(&world);
    let pending = world.gets.iter().any(|get| get.state == State::Pending)
        || world.puts.iter().any(|put| put.2 == State::Pending);
    if pending {
        assert!(world.client.session.finish().is_err(), "{seed} {limits:?}");
    }
    let half = world.taken.iter().any(|taken| !taken.3);
    if half && world.client.session.closed().is_none() {
        // all that the server began is whole, given up by the client, or missing
        let open = world
            .taken
            .iter()
            .any(|taken| world.server.session.is_under_way(taken.0));
        assert!(!open || world.server.session.finish().is_err());
    }
}

/// Short sessions that end at every byte of either direction.
#[test]
fn every_place_to_end() {
    let mut rng = Rng(7);
    for seed in 0..12 * scale() as u64 {
        let actions = 1 + rng.below(3);
        let whole = undisturbed(seed, actions);
        let lens = [whole.sent[UP].len(), whole.sent[DOWN].len()];
        for direction in [UP, DOWN] {
            for len in (0..lens[direction]).step_by(every(3)) {
                let mut limits = [usize::MAX; 2];
                limits[direction] = len;
                torn(seed, actions, limits);
            }
        }
    }
}
