// Opens every container of the test vectors in place, by the code that docs/wasm.md shows, and compares rules and
// buffers with the manifest.
//
//   node run_container.mjs [MODULE]
import { check, crcByte, done, hex, load, manifest, ruleId, same, vector } from "./checks.mjs";
import { open } from "./container.mjs";

const wasm = load(process.argv[2], "examples/container");
const WORDS = 1024;

// Rules of header, trailer, index and keys, which opening decides; the others are those of tensors and composites.
const opening = (rule) => /^FILE-(0[1-5]|08|09|1[0-9]|3[2-7])$/.test(rule);

const refusal = (file, words = WORDS) => {
  try {
    open(wasm, file, words);
    return null;
  } catch (error) {
    const [, number] = /^rule (\d+)$/.exec(error.message) ?? [];
    return number ? ruleId(Number(number)) : error.message;
  }
};

let [refused, buffers] = [0, 0];
for (const entry of manifest("files.json")) {
  const file = vector(entry.file);
  if (entry.verdict === "reject") {
    const rule = refusal(file);
    if (rule === null) {
      check(entry.id, entry.format_rules.every(opening) ? "opened" : null);
    } else {
      check(entry.id, entry.format_rules.includes(rule) ? null : `refused by ${rule}`);
      refused++;
    }
    continue;
  }
  const { tensors, kv } = entry.expect;
  const words = 2 * tensors.length + kv.length;
  const find = open(wasm, file, words);
  for (const tensor of tensors) {
    for (const [k, { len, crc32c }] of (tensor.buffers ?? []).entries()) {
      const bytes = find(tensor.name, k);
      check(`${entry.id}, ${tensor.name}: length`, same(bytes?.length, len));
      check(`${entry.id}, ${tensor.name}: bytes`, same(hex(bytes?.reduce(crcByte, ~0)), crc32c));
      buffers++;
    }
    check(`${entry.id}, ${tensor.name}: one buffer more`, same(find(tensor.name, 64), null));
  }
  check(`${entry.id}: no such name`, same(find("no such tensor"), null));
  if (words > 0) check(`${entry.id}: fewer words`, same(refusal(file, words - 1), "too few words"));
}
check("files that do not open", refused > 50 ? null : `${refused}`);
check("buffers", buffers > 50 ? null : `${buffers}`);

// Data are where the file has them, so numbers need no copy.
const find = open(wasm, vector("files/f-ok-two.hrry"), WORDS);
const bytes = find("a");
const numbers = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const view = new DataView(bytes.buffer, bytes.byteOffset);
check("numbers", same(numbers.length, 12));
check("numbers", same(numbers.every((x, k) => Object.is(x, view.getFloat32(4 * k, true))), true));

// A file that is refused takes the place of the one before.
check("refused", same(refusal(new Uint8Array(200)), "FILE-01"));
check("nothing open", same(find("a"), null));

done();
