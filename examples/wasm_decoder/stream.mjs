// All tensors of a stream that comes in pieces; `wasm` has the exports of the module.
export function tensors(wasm, pieces) {
  const found = [];
  const room = wasm.input_capacity();
  wasm.reset(0n, 0);
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += room) {
      const part = piece.subarray(at, at + room);
      new Uint8Array(wasm.memory.buffer, wasm.input(), part.length).set(part);
      wasm.push(part.length);
      for (let event; (event = wasm.next_event()) !== 0; ) {
        if (event < 0) throw refusal(wasm);
        if (event === 1) found.push({ type: wasm.element_type(), shape: shape(wasm), buffers: buffers(wasm) });
        if (event === 2) found.at(-1).buffers[wasm.payload_buffer()].push(payload(wasm));
        if (event === 3) found.at(-1).closes = wasm.outcome() === 3 ? wasm.outcome_levels() : 0;
      }
    }
  }
  if (wasm.finish() < 0) throw refusal(wasm);
  return found;
}

const u64 = (x) => BigInt.asUintN(64, x);
const shape = (wasm) => Array.from({ length: wasm.rank() }, (_, axis) => u64(wasm.dimension(axis)));
const buffers = (wasm) => Array.from({ length: wasm.buffer_count() }, () => []);
const payload = (wasm) => new Uint8Array(wasm.memory.buffer, wasm.payload(), wasm.payload_len()).slice();

function refusal(wasm) {
  const name = new Uint8Array(wasm.memory.buffer, wasm.error_field(), wasm.error_field_len());
  const field = String.fromCharCode(...name);
  return new Error(`rule ${wasm.error_rule()} at byte ${u64(wasm.error_offset())} ${field}`);
}
