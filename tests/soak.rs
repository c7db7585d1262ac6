//! A server and four clients for a while, over connections that fail in every way: what a side takes is right bit
//! for bit, and memory stays what it is.
//!
//! `HRRY_SOAK_SECONDS` says how long, `HRRY_SOAK_SEED` which faults; `--nocapture` shows figures.
#![cfg(all(target_os = "linux", target_endian = "little", not(miri)))]

#[path = "soak/client.rs"]
mod client;
#[path = "soak/faults.rs"]
mod faults;
#[path = "support/program.rs"]
mod program;
#[path = "support/scale.rs"]
#[allow(dead_code)]
mod scale;
#[path = "soak/server.rs"]
mod server;

use std::thread;
use std::time::{Duration, Instant};

use client::{Client, Tally};
use server::Server;

const CLIENTS: u64 = 4;

/// Growth of resident memory between the middle and the end of a run, in KiB: what allocators of threads keep
/// differs by as much from one moment to the next. A client here has some tensors in memory at a time, the server
/// none.
const GROWTH: [u64; 2] = [4 << 10, 32 << 10];

fn variable(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().expect("a whole number"),
        Err(_) => otherwise,
    }
}

#[test]
fn a_server_and_four_clients_for_a_while() {
    let seconds = variable("HRRY_SOAK_SECONDS", 4);
    let seed = variable("HRRY_SOAK_SEED", 1);
    let server = Server::start();
    let begin = Instant::now();
    let run = Duration::from_secs(seconds);
    let (mut middle, mut last) = ([0; 2], [0; 2]);
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let clients = (0..CLIENTS).map(|number| {
            let (server, end) = (&server, begin + run);
            scope.spawn(move || Client::new(server, number, seed, end).run())
        });
        let clients: Vec<_> = clients.collect();
        while begin.elapsed() < run {
            thread::sleep(Duration::from_millis(20));
            let third = begin.elapsed().as_millis() * 3 / run.as_millis();
            let now = [server.memory(), server::own_memory()];
            let most = match third {
                0 => continue,
                1 => &mut middle,
                _ => &mut last,
            };
            *most = [most[0].max(now[0]), most[1].max(now[1])];
        }
        let tallies = clients.into_iter().map(|client| client.join().unwrap());
        tallies.collect()
    });
    let all = tallies.iter().fold(Tally::default(), Tally::with);
    println!("{seconds} s, seed {seed}: {all:?}");
    println!("KiB resident, server and clients: middle third {middle:?}, last third {last:?}");
    server.settle();
    // everything happened
    for count in all.counts() {
        assert!(count > 0, "{all:?}");
    }
    for ((last, middle), growth) in last.into_iter().zip(middle).zip(GROWTH) {
        assert!(last <= middle + growth, "{middle} KiB became {last} KiB");
    }
}
