// Decodes every stream of the test vectors with the module, cut at random, and compares verdicts, rules and
// payload with the manifest; then lengths that do not fit the module's 32-bit addresses.
//
//   node run.mjs [MODULE]
import { readFileSync } from "node:fs";

const here = new URL(".", import.meta.url);
const vectors = new URL("../../tests/vectors/", here);
const file = process.argv[2] ?? new URL("target/wasm32-unknown-unknown/release/wasm_decoder.wasm", here);
const module = new WebAssembly.Module(readFileSync(file));
if (WebAssembly.Module.imports(module).length > 0) throw new Error("the module imports something");
const wasm = new WebAssembly.Instance(module, {}).exports;

const FAMILIES = [
  "DESC", "TYPE", "LAYOUT", "BUF", "QUANT", "SHARD", "STAT", "EXT", "MEMBER", "COMP", "STREAM", "VER",
];
const [NONE, DESCRIPTOR, PAYLOAD, TENSOR_END, ERROR] = [0, 1, 2, 3, -1];

// A small generator, so that a failure can be seen again.
let state = 1;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state % below;
};

const ruleId = (number) => {
  const family = FAMILIES[Math.floor(number / 100) - 1];
  return `${family}-${String(number % 100).padStart(2, "0")}`;
};

const crcByte = (crc, byte) => {
  crc ^= byte;
  for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (0x82f63b78 & -(crc & 1));
  return crc;
};

// What the module says about some bytes; `cut` tells how long the next piece is.
function decode(bytes, cut, origin = 0n, crossMachine = 0) {
  wasm.reset(origin, crossMachine);
  const said = { tensors: [], events: 0, rule: 0, offset: 0n, missing: 0n };
  let buffer = null;
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + Math.min(cut(), wasm.input_capacity()));
    at += piece.length;
    new Uint8Array(wasm.memory.buffer, wasm.input(), piece.length).set(piece);
    wasm.push(piece.length);
    for (let event; (event = wasm.next_event()) !== NONE; said.events++) {
      if (event === ERROR) return refused(said);
      if (event === DESCRIPTOR) {
        const sizes = Array.from({ length: wasm.buffer_count() }, (_, k) => wasm.buffer_size(k));
        const shape = Array.from({ length: wasm.rank() }, (_, k) => wasm.dimension(k));
        buffer = sizes.map((size) => ({ size, len: 0n, crc: ~0 }));
        said.tensors.push({ shape, type: wasm.element_type(), layout: wasm.layout_tag(), buffer });
      } else if (event === PAYLOAD) {
        const of = buffer[wasm.payload_buffer()];
        if (wasm.payload_offset() !== of.len) throw new Error("payload with a gap");
        const part = new Uint8Array(wasm.memory.buffer, wasm.payload(), wasm.payload_len());
        of.len += BigInt(part.length);
        of.crc = part.reduce(crcByte, of.crc);
      } else if (event !== TENSOR_END) {
        throw new Error(`event ${event}`);
      }
    }
  }
  return wasm.finish() === ERROR ? refused(said) : said;
}

function refused(said) {
  said.rule = wasm.error_rule();
  said.offset = BigInt.asUintN(64, wasm.error_offset());
  said.missing = BigInt.asUintN(64, wasm.error_missing());
  said.refused = true;
  return said;
}

// Tensors and heads in the order of the stream; none where the manifest does not list all members.
function listed(items) {
  const all = [];
  for (const item of items) {
    if (item.members_listed) return null;
    const buffers = item.buffers ?? [];
    all.push({ d: item.descriptor, crcs: buffers.map((b) => b.crc32c) });
    const inner = listed(item.members ?? []);
    if (inner === null) return null;
    all.push(...inner);
  }
  return all;
}

function differs(entry, said) {
  if (entry.verdict === "reject") {
    if (!said.refused) return "accepted";
    return entry.format_rules.includes(ruleId(said.rule)) ? null : `refused by ${ruleId(said.rule)}`;
  }
  if (said.refused) return `refused by ${ruleId(said.rule)} at ${said.offset}`;
  const expected = listed(entry.expect.items);
  if (expected === null) return null;
  if (expected.length !== said.tensors.length) return `${said.tensors.length} tensors`;
  for (const [k, { d, crcs }] of expected.entries()) {
    const t = said.tensors[k];
    if (t.type !== d.type_tag || t.layout !== d.layout_tag || t.shape.length !== d.rank) return `tensor ${k}`;
    // numbers above 2^53 lose digits when JSON is read; both sides lose the same
    if (t.shape.some((n, axis) => Number(BigInt.asUintN(64, n)) !== d.shape[axis])) return `shape ${k}`;
    const hex = t.buffer.map((b) => (~b.crc >>> 0).toString(16).padStart(8, "0"));
    if (hex.join() !== crcs.join()) return `payload ${k}`;
  }
  return null;
}

let [passed, failed] = [0, 0];
function check(name, problem) {
  if (problem === null) return passed++;
  failed++;
  console.log(`failed: ${name}: ${problem}`);
}

for (const entry of JSON.parse(readFileSync(new URL("streams.json", vectors)))) {
  // rules about bytes inside buffers are not the decoder's
  if (entry.level === "content") continue;
  const bytes = readFileSync(new URL(entry.file, vectors));
  const crossMachine = entry.transport === "cross-machine" ? 1 : 0;
  for (const most of [1, 7, 100, 100000]) {
    const said = decode(bytes, () => 1 + random(most), 0n, crossMachine);
    check(`${entry.id}, pieces of up to ${most}`, differs(entry, said));
  }
}

// A uint8 vector with one buffer of `size` bytes, and 400 of them.
function vector(size, dimension) {
  const bytes = new Uint8Array(53 + 400);
  const view = new DataView(bytes.buffer);
  bytes.set([0x48, 0x52, 0x52, 0x59, 1, 0]);
  view.setUint32(6, 53, true);
  bytes.set([0x11, 0x01], 14);
  view.setUint32(16, 1, true);
  view.setBigUint64(20, dimension, true);
  bytes[36] = 1;
  view.setBigUint64(37, size, true);
  view.setUint32(45, 64, true);
  return bytes;
}

const same = (said, wanted) => (said === wanted ? null : `${said} instead of ${wanted}`);
for (const size of [2n ** 32n, 2n ** 32n + 64n, 2n ** 64n - 1n]) {
  const said = decode(vector(size, size), () => 100);
  check(`buffer of ${size}: refused`, same(said.refused, true));
  check(`buffer of ${size}: size`, same(BigInt.asUintN(64, said.tensors[0].buffer[0].size), size));
  check(`buffer of ${size}: payload`, same(said.tensors[0].buffer[0].len, 400n));
  check(`buffer of ${size}: rule`, same(ruleId(said.rule), "STREAM-04"));
  check(`buffer of ${size}: missing`, same(said.missing, size - 400n));
  check(`buffer of ${size}: position`, same(said.offset, 453n));
  if (size < 2n ** 64n - 1n) {
    const short = decode(vector(64n, size), () => 100);
    check(`dimension of ${size}: rule`, same(ruleId(short.rule), "LAYOUT-05"));
  }
  const far = decode(new TextEncoder().encode("HRRX"), () => 1, size - 100n);
  check(`position ${size} less 100`, same(far.offset, size - 97n));
}

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
