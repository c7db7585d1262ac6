//! `cargo run --release` prints times and ratios, a word such as `to_f32` restricts the run; with
//! `--features detect` both sides use instructions that they find at run time.

#[path = "../../src/alloc.rs"]
mod alloc;
mod elements;
#[allow(dead_code)] // for the other benchmarks
#[path = "../../src/measure.rs"]
mod measure;

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    for mut group in elements::groups() {
        if !wanted(&group.name) {
            continue;
        }
        println!("\n{}, for each {}", group.name, group.unit);
        println!(
            "{:>9} {:>9} {:>8} {:>7}  contestant",
            "ns min", "ns median", "ratio", "samples"
        );
        let figures = measure::measure(&mut group);
        let base = figures[0].min;
        for f in figures {
            assert_eq!((f.allocations, f.bytes), (0, 0), "{}", f.name);
            let ratio = base / f.min;
            println!(
                "{:>9.3} {:>9.3} {ratio:>7.2}x {:>7}  {}",
                f.min, f.median, f.samples, f.name
            );
        }
    }
}
