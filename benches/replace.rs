//! The replacer's main shapes: how long one call takes on a common file, and on inputs made to be slow.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use landfall::replace::{Query, replace};

/// Numbers that look random and are the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// So many lines of something like code.
fn code(count: usize, numbers: &mut Numbers) -> Vec<String> {
    let syllables = ["con", "fig", "read", "er", "state", "load", "user", "in", "dex", "map", "set", "buf"];
    let word = |numbers: &mut Numbers| {
        (0..2 + numbers.below(2)).map(|_| syllables[numbers.below(syllables.len())]).collect::<String>()
    };
    (0..count)
        .map(|_| {
            let indent = "    ".repeat(numbers.below(4));
            let words: Vec<String> = (0..2 + numbers.below(5)).map(|_| word(numbers)).collect();
            format!("{indent}{}({});", words[0], words[1..].join(", "))
        })
        .collect()
}

/// Every so many-th line with a letter changed.
fn misspelt(lines: &[String], every: usize) -> Vec<String> {
    let change = |(at, line): (usize, &String)| if at % every == 0 { line.replacen('e', "o", 1) } else { line.clone() };
    lines.iter().enumerate().map(change).collect()
}

fn call(text: &str, old: &str, new: &str) -> bool {
    replace(text, &Query { old, new, replace_all: false, near_line: None }).is_ok()
}

fn common_file(criterion: &mut Criterion) {
    let lines = code(400, &mut Numbers(1));
    let (text, block) = (lines.join("\n") + "\n", &lines[200..210]);
    let shapes = [
        ("exact", block.to_vec()),
        ("depth", block.iter().map(|line| format!("  {line}")).collect()),
        ("typos", misspelt(block, 3)),
        ("escaped", block.iter().map(|line| format!("{line} \\\"x\\\"")).collect()),
        ("foreign", code(10, &mut Numbers(99))),
    ];
    let mut group = criterion.benchmark_group("400 lines, 10 of them");
    for (name, old) in shapes {
        let (old, new) = (old.join("\n"), old.join("\n") + "\nadded(line);");
        group.bench_function(name, |bencher| bencher.iter(|| call(&text, &old, &new)));
    }
}

fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("growth");
    group.sample_size(10);
    for count in [2_000, 20_000, 200_000] {
        let lines = code(count, &mut Numbers(2));
        let text = lines.join("\n") + "\n";
        let old = misspelt(&lines[count / 2..count / 2 + 25], 2).join("\n");
        let foreign = code(25, &mut Numbers(77)).join("\n");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("near miss", count), &old, |bencher, old| {
            bencher.iter(|| call(&text, old, "x"));
        });
        group.bench_with_input(BenchmarkId::new("foreign", count), &foreign, |bencher, old| {
            bencher.iter(|| call(&text, old, "x"));
        });
    }
}

fn made_to_be_slow(criterion: &mut Criterion) {
    let big = code(20_000, &mut Numbers(3));
    let text = big.join("\n") + "\n";
    let one_line = code(20_000, &mut Numbers(4)).join(" ");
    let repeated = "if err != nil {\n\treturn err\n}\n";
    let inputs = [
        ("200-line near miss", text.clone(), misspelt(&big[9000..9200], 2).join("\n")),
        ("200 foreign lines", text, code(200, &mut Numbers(98)).join("\n")),
        ("1 MB in one line", one_line.clone(), one_line[5000..5200].replace('e', "o")),
        ("equal lines", "    }\n".repeat(10_000), "  }\n".repeat(25) + "  x\n" + &"  }\n".repeat(24)),
        (
            "one repeated block",
            repeated.repeat(7000),
            repeated.repeat(10) + "if err != nil {\n\tretrun err\n}\n" + &repeated.repeat(9),
        ),
    ];
    let mut group = criterion.benchmark_group("made to be slow");
    group.sample_size(10);
    for (name, text, old) in inputs {
        group.bench_function(name, |bencher| bencher.iter(|| call(&text, &old, "x")));
    }
}

criterion_group!(benches, common_file, growth, made_to_be_slow);
criterion_main!(benches);
