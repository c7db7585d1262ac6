//! What the figures are meant to reach.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Which side of the limit is good.
#[derive(Clone, Copy)]
enum Side {
    Least,
    Most,
}

/// One claim and what was seen of it.
pub struct Target {
    name: &'static str,
    limit: f64,
    side: Side,
    seen: f64,
}

impl Target {
    fn met(&self) -> bool {
        match self.side {
            Side::Least => self.seen >= self.limit,
            Side::Most => self.seen <= self.limit,
        }
    }

    /// A line of the table.
    pub fn line(&self) -> String {
        let side = match self.side {
            Side::Least => ">=",
            Side::Most => "<=",
        };
        let verdict = if self.met() { "met" } else { "MISSED" };
        let Target {
            name, limit, seen, ..
        } = self;
        format!("{seen:>10.2}  {side} {limit:<6} {verdict:<6}  {name}")
    }

    /// The same for machines.
    pub fn json(&self) -> Value {
        let side = match self.side {
            Side::Least => "at_least",
            Side::Most => "at_most",
        };
        json!({ "name": self.name, side: self.limit, "seen": self.seen, "met": self.met() })
    }
}

/// Figures by full name.
pub type Seen = BTreeMap<String, f64>;

/// Those of the contestant in every task of a section.
fn of<'a>(seen: &'a Seen, section: &'a str, contestant: &'a str) -> impl Iterator<Item = f64> + 'a {
    let ours = move |(name, value): (&String, &f64)| {
        let mut parts = name.split('/');
        (parts.next() == Some(section) && parts.next_back() == Some(contestant)).then_some(*value)
    };
    seen.iter().filter_map(ours)
}

fn at(seen: &Seen, name: &str) -> Option<f64> {
    seen.get(name).copied()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

fn least(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(f64::min)
}

fn most(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(f64::max)
}

fn build(rows: Vec<(&'static str, Side, f64, Option<f64>)>) -> Vec<Target> {
    let target = |(name, side, limit, seen): (_, _, _, Option<f64>)| {
        seen.map(|seen| Target {
            name,
            limit,
            side,
            seen,
        })
    };
    rows.into_iter().filter_map(target).collect()
}

/// Targets in times: `ratio` to the reference, `ns` for each unit, `allocations` of ours.
pub fn timed(ratio: &Seen, ns: &Seen, allocations: &Seen) -> Vec<Target> {
    let decode = |contestant| of(ratio, "decode", contestant);
    let large = |contestant: &str, order: &str| {
        let end = format!("_10000_{order}/{contestant}");
        least(
            ratio
                .iter()
                .filter(|row| row.0.ends_with(&end))
                .map(|row| *row.1),
        )
    };
    let hand_out = || of(ns, "payload", "hand_out");
    let spread = most(hand_out())
        .zip(least(hand_out()))
        .map(|(most, least)| most / least);
    let growth = |rank: &str| {
        let at = |count: &str| ns.get(&format!("cover/{rank}_{count}_in_order/keyed"));
        at("100000")
            .zip(at("1000"))
            .map(|(large, small)| large / small)
    };
    let growth = most(growth("rank1").into_iter().chain(growth("rank2")));
    let to_copy = |name: &str, way: &str| {
        let took = |contestant: &str| at(ns, &format!("io/{name}/{contestant}"));
        took(way).zip(took("copy")).map(|(ours, copy)| ours / copy)
    };
    let walks = |way| least(of(ratio, "address", way));
    let rows = most(of(ratio, "address", "lines").map(f64::recip));
    let per_block = |contestant: &str| at(ns, &format!("values/int4_per_block_f16/{contestant}"));
    let to_memcpy = per_block("hrry").zip(per_block("memcpy"));
    let of_1000 = |rows: &str| at(ns, &format!("values/partition_{rows}/of_1000"));
    let members = of_1000("box").zip(of_1000("whole"));
    let of_core = allocations.iter().filter(|row| !row.0.starts_with("io/"));
    let core = of_core.map(|row| *row.1);
    build(vec![
        (
            "one-shot decode, mean of six",
            Side::Least,
            7.0,
            mean(decode("one_shot")),
        ),
        (
            "one-shot decode, worst case",
            Side::Least,
            4.0,
            least(decode("one_shot")),
        ),
        (
            "pushed whole, mean of six",
            Side::Least,
            4.0,
            mean(decode("whole")),
        ),
        (
            "pushed in 64-byte chunks, worst case",
            Side::Least,
            2.5,
            least(decode("chunks_64")),
        ),
        (
            "pushed as single bytes, worst case",
            Side::Least,
            2.5,
            least(of(ratio, "bytes", "hrry")),
        ),
        (
            "encode, checked before, mean of six",
            Side::Least,
            3.0,
            mean(of(ratio, "encode", "prepared")),
        ),
        (
            "the same, checked each time",
            Side::Least,
            1.0,
            mean(of(ratio, "encode", "checked")),
        ),
        (
            "payload, dearest chunk size to cheapest",
            Side::Most,
            1.5,
            spread,
        ),
        (
            "cover of 10,000 in order, exact",
            Side::Least,
            500.0,
            large("exact", "in_order"),
        ),
        (
            "cover of 10,000 in order, keyed",
            Side::Least,
            500.0,
            large("keyed", "in_order"),
        ),
        (
            "cover of 10,000 shuffled, keyed",
            Side::Least,
            500.0,
            large("keyed", "shuffled"),
        ),
        (
            "a member of 100,000 to one of 1,000, keyed",
            Side::Most,
            2.0,
            growth,
        ),
        (
            "walk in logical order or over what is stored, least to look-ups",
            Side::Least,
            1.5,
            walks("walk"),
        ),
        (
            "walk in the order of storage, least to look-ups",
            Side::Least,
            1.5,
            walks("storage_walk"),
        ),
        (
            "rows of a CSR tensor, to a loop by hand",
            Side::Most,
            1.2,
            rows,
        ),
        (
            "opening 10,000 tensors with tables",
            Side::Least,
            20.0,
            at(ratio, "file/open_plain/with_scratch"),
        ),
        (
            "the same with a checksum of the index",
            Side::Least,
            3.0,
            at(ratio, "file/open_crc/with_scratch"),
        ),
        (
            "the same without one, names in no order",
            Side::Least,
            5.0,
            at(ratio, "file/open_scattered/with_scratch"),
        ),
        (
            "reading 10,000 tensors by name",
            Side::Least,
            20.0,
            at(ratio, "file/read_by_name/hrry"),
        ),
        (
            "owning 1,000 tensors of 4 KiB, to a copy of all bytes",
            Side::Most,
            1.3,
            to_copy("1000_of_4KiB", "pushed"),
        ),
        (
            "the same over `Read`",
            Side::Most,
            1.3,
            to_copy("1000_of_4KiB", "owning"),
        ),
        (
            "owning one of 256 MiB, to a copy of all bytes",
            Side::Most,
            1.3,
            to_copy("one_of_256MiB", "owning"),
        ),
        (
            "opening 10,000 tensors with FileReader",
            Side::Least,
            5.0,
            at(ratio, "io/open_plain/reader"),
        ),
        (
            "the same with a checksum of the index, FileReader",
            Side::Least,
            2.0,
            at(ratio, "io/open_crc/reader"),
        ),
        (
            "int4 blocks to float32, to a plain loop",
            Side::Least,
            4.0,
            at(ratio, "values/int4_per_block_f16/hrry"),
        ),
        (
            "int4 blocks to float32, to a copy of the numbers",
            Side::Most,
            2.0,
            to_memcpy.map(|(ours, copy)| ours / copy),
        ),
        (
            "an element of a box of 64 of 1,000 members, to one of all",
            Side::Most,
            1.5,
            members.map(|(part, whole)| part / whole),
        ),
        (
            "allocations of any operation of the core",
            Side::Most,
            0.0,
            most(core),
        ),
    ])
}

/// Targets in instructions for each unit.
pub fn counted(instructions: &Seen) -> Vec<Target> {
    let one = |name: &str| at(instructions, name);
    let chunk = most(of(instructions, "payload", "hand_out"));
    let growth = |way: &str| {
        let at = |count: &str| one(&format!("cover/rank1_{count}_in_order/{way}"));
        at("100000")
            .zip(at("1000"))
            .map(|(large, small)| large / small)
    };
    let growth = most(growth("keyed").into_iter().chain(growth("exact")));
    build(vec![
        (
            "one-shot decode of 61 bytes",
            Side::Most,
            220.0,
            one("decode/rm_f32_3x4/one_shot"),
        ),
        ("a payload chunk", Side::Most, 40.0, chunk),
        (
            "an element of a walk along rows",
            Side::Most,
            25.0,
            one("address/row_major/walk"),
        ),
        (
            "a member of 100,000 to one of 1,000",
            Side::Most,
            1.1,
            growth,
        ),
    ])
}
