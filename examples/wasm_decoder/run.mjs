// Decodes every stream of the test vectors with the module, cut at random, and compares verdicts, rules, places
// among composites and payload with the manifest; then what a caller may do wrong, the code that docs/wasm.md shows,
// and lengths that do not fit the module's 32-bit addresses.
//
//   node run.mjs [MODULE]
import { check, crcByte, done, hex, load, manifest, ruleId, same, vector } from "./checks.mjs";
import { tensors } from "./stream.mjs";

const wasm = load(process.argv[2], "wasm_decoder");

// What build.rs asks for. The stack lies below all else, so what of it was never written shows how deep it went.
const STACK = 16384;
const UNUSED = 0xa5;
new Uint8Array(wasm.memory.buffer, 0, STACK).fill(UNUSED);
const memoryAtFirst = wasm.memory.buffer.byteLength;

const [NONE, DESCRIPTOR, PAYLOAD, TENSOR_END, ERROR] = [0, 1, 2, 3, -1];
const [PLAIN, OPENED, MEMBER, CLOSED] = [0, 1, 2, 3];
const [TAKEN, REFUSED] = [0, -1];
const [CROSS_MACHINE, PERMISSIVE] = [1, 2];

// A small generator, so that a failure can be seen again.
let state = 1;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state % below;
};

// The place among composites that the last descriptor or end was at.
const place = () => ({
  kind: wasm.outcome(),
  levels: wasm.outcome_levels(),
  members: wasm.outcome_members() >>> 0,
  index: Number(wasm.outcome_index()),
  rule: wasm.outcome_rule(),
});

// What the module says about some bytes; `cut` tells how long the next piece is.
function decode(bytes, cut, origin = 0n, flags = 0) {
  wasm.reset(origin, flags);
  const said = { tensors: [], events: 0, rule: 0, offset: 0n, missing: 0n };
  let buffer = null;
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + Math.min(cut(), wasm.input_capacity()));
    at += piece.length;
    new Uint8Array(wasm.memory.buffer, wasm.input(), piece.length).set(piece);
    if (wasm.push(piece.length) !== TAKEN) throw new Error("push took nothing");
    for (let event; (event = wasm.next_event()) !== NONE; said.events++) {
      if (event === ERROR) return refused(said);
      if (event === DESCRIPTOR) {
        const sizes = Array.from({ length: wasm.buffer_count() }, (_, k) => wasm.buffer_size(k));
        const shape = Array.from({ length: wasm.rank() }, (_, k) => wasm.dimension(k));
        buffer = sizes.map((size) => ({ size, len: 0n, crc: ~0 }));
        said.tensors.push({ shape, type: wasm.element_type(), layout: wasm.layout_tag(), buffer });
        said.tensors.at(-1).begins = place();
      } else if (event === PAYLOAD) {
        const of = buffer[wasm.payload_buffer()];
        if (wasm.payload_offset() !== of.len) throw new Error("payload with a gap");
        const part = new Uint8Array(wasm.memory.buffer, wasm.payload(), wasm.payload_len());
        of.len += BigInt(part.length);
        of.crc = part.reduce(crcByte, of.crc);
      } else if (event === TENSOR_END) {
        said.tensors.at(-1).ends = place();
      } else {
        throw new Error(`event ${event}`);
      }
    }
  }
  return wasm.finish() === ERROR ? refused(said) : said;
}

function refused(said) {
  said.rule = wasm.error_rule();
  said.field = new TextDecoder().decode(
    new Uint8Array(wasm.memory.buffer, wasm.error_field(), wasm.error_field_len()),
  );
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

// Where each of them stands when it begins and when it ends: `depth` composites are open around, and the end of the
// last of these items closes so many.
function places(items, depth = 0, closing = 0) {
  const of = (kind, levels, members, index) => ({ kind, levels, members, index, rule: 0 });
  return items.flatMap((item, k) => {
    const index = depth > 0 ? k : -1;
    const closes = k + 1 === items.length ? closing : 0;
    if (item.type === "composite") {
      const head = of(OPENED, depth + 1, item.member_count, index);
      if (item.member_count === 0) return [{ begins: head, ends: of(CLOSED, closes + 1, 0, -1) }];
      return [{ begins: head, ends: head }, ...places(item.members, depth + 1, closes + 1)];
    }
    const begins = depth > 0 ? of(MEMBER, depth, 0, index) : of(PLAIN, 0, 0, -1);
    return [{ begins, ends: closes > 0 ? of(CLOSED, closes, 0, -1) : begins }];
  });
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
  const where = places(entry.expect.items);
  for (const [k, { d, crcs }] of expected.entries()) {
    const t = said.tensors[k];
    if (t.type !== d.type_tag || t.layout !== d.layout_tag || t.shape.length !== d.rank) return `tensor ${k}`;
    // numbers above 2^53 lose digits when JSON is read; both sides lose the same
    if (t.shape.some((n, axis) => Number(BigInt.asUintN(64, n)) !== d.shape[axis])) return `shape ${k}`;
    if (t.buffer.map((b) => hex(b.crc)).join() !== crcs.join()) return `payload ${k}`;
    for (const side of ["begins", "ends"]) {
      const [is, wanted] = [t[side], where[k][side]].map((of) => JSON.stringify(of));
      if (is !== wanted) return `${side} of ${k}: ${is} instead of ${wanted}`;
    }
  }
  return null;
}

const COVER = ["COMP-42", "COMP-43"];
let covers = 0;
for (const entry of manifest("streams.json")) {
  // rules about bytes inside buffers are not the decoder's
  if (entry.level === "content") continue;
  const bytes = vector(entry.file);
  const flags = entry.transport === "cross-machine" ? CROSS_MACHINE : 0;
  for (const most of [1, 7, 100, 100000]) {
    const said = decode(bytes, () => 1 + random(most), 0n, flags);
    check(`${entry.id}, pieces of up to ${most}`, differs(entry, said));
  }
  // permissive mode passes a partition that is no cover, and tells so where it closes
  if (entry.verdict === "reject" && entry.format_rules.every((rule) => COVER.includes(rule))) {
    const said = decode(bytes, () => 1 + random(100), 0n, PERMISSIVE);
    const rules = said.tensors.map((t) => t.ends?.rule ?? 0).filter((rule) => rule !== 0);
    const right = !said.refused && rules.length === 1 && entry.format_rules.includes(ruleId(rules[0]));
    check(`${entry.id}, permissive`, right ? null : `${said.rule}, ${rules}`);
    covers++;
  }
}
check("partitions that are no covers", covers > 10 ? null : `${covers}`);

const stream = (id) => vector(`streams/${id}.bin`);
// the fields that these rules are about
for (const [id, rule, field] of [
  ["s-bad-gap-hole", "COMP-43", "shape"],
  ["s-bad-overlap-duplicate", "COMP-42", "parent_shape"],
  ["s-bad-head-reserved", "COMP-10", "composite.reserved"],
  ["s-bad-cut-tensor-1", "STREAM-04", ""],
]) {
  const said = decode(stream(id), () => 1000);
  check(`${id}: rule`, same(ruleId(said.rule), rule));
  check(`${id}: field`, same(said.field, field));
}

// More than there is room for, and bytes before those of the last push are taken, are refused and change nothing.
{
  const bytes = stream("s-ok-part-1");
  const events = [];
  const drain = () => {
    for (let event; (event = wasm.next_event()) !== NONE; ) events.push(event);
  };
  wasm.reset(0n, 0);
  new Uint8Array(wasm.memory.buffer, wasm.input(), bytes.length).set(bytes);
  check("too many", same(wasm.push(wasm.input_capacity() + 1), REFUSED));
  check("all", same(wasm.push(bytes.length), TAKEN));
  check("too early", same(wasm.push(bytes.length), REFUSED));
  check("first event", same(wasm.next_event(), DESCRIPTOR));
  check("still too early", same(wasm.push(1), REFUSED));
  drain();
  check("events", same(events.join(), [TENSOR_END, DESCRIPTOR, PAYLOAD, TENSOR_END].join()));
  check("end", same(wasm.finish(), 0));
  check("position", same(wasm.offset(), 130n));
  check("behind all", same(wasm.push(0), TAKEN));
}

// The code that docs/wasm.md shows.
{
  const bytes = stream("s-ok-part-1");
  const pieces = Array.from(bytes, (_, k) => bytes.subarray(k, k + 1));
  for (const [name, cut] of [["whole", [bytes]], ["in bytes", pieces]]) {
    const [head, member, ...more] = tensors(wasm, cut);
    check(`stream.mjs, ${name}: tensors`, same(more.length, 0));
    check(`stream.mjs, ${name}: head`, same(`${head.shape} ${head.buffers.length} ${head.closes}`, "4 0 0"));
    check(`stream.mjs, ${name}: member`, same(`${member.type} ${member.shape} ${member.closes}`, "3 4 1"));
    const payload = Buffer.concat(member.buffers[0]);
    check(`stream.mjs, ${name}: payload`, same(payload.equals(bytes.subarray(130 - 16)), true));
  }
  const message = (stream) => {
    try {
      return `${tensors(wasm, [stream]).length} tensors`;
    } catch (error) {
      return error.message;
    }
  };
  check("stream.mjs: refusal", same(message(new TextEncoder().encode("HRRX")), "rule 102 at byte 3 magic"));
  check("stream.mjs: cut", same(message(bytes.subarray(0, 129)).startsWith("rule 1104 at byte 129"), true));
}

// A uint8 vector with one buffer of `size` bytes, and 400 of them.
function oneVector(size, dimension) {
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

for (const size of [2n ** 32n, 2n ** 32n + 64n, 2n ** 64n - 1n]) {
  const said = decode(oneVector(size, size), () => 100);
  check(`buffer of ${size}: refused`, same(said.refused, true));
  check(`buffer of ${size}: size`, same(BigInt.asUintN(64, said.tensors[0].buffer[0].size), size));
  check(`buffer of ${size}: payload`, same(said.tensors[0].buffer[0].len, 400n));
  check(`buffer of ${size}: rule`, same(ruleId(said.rule), "STREAM-04"));
  check(`buffer of ${size}: missing`, same(said.missing, size - 400n));
  check(`buffer of ${size}: position`, same(said.offset, 453n));
  if (size < 2n ** 64n - 1n) {
    const short = decode(oneVector(64n, size), () => 100);
    check(`dimension of ${size}: rule`, same(ruleId(short.rule), "LAYOUT-05"));
  }
  const far = decode(new TextEncoder().encode("HRRX"), () => 1, size - 100n);
  check(`position ${size} less 100`, same(far.offset, size - 97n));
}

const unused = new Uint8Array(wasm.memory.buffer, 0, STACK).findIndex((byte) => byte !== UNUSED);
check("stack with room to spare", unused > STACK / 4 ? null : `${unused} bytes left`);
check("memory as large as at first", same(wasm.memory.buffer.byteLength, memoryAtFirst));

console.log(`${STACK - unused} bytes of stack, ${memoryAtFirst} of memory`);
done();
