// Opens a container, which is a Uint8Array, with room for `words` words behind it: two for each tensor and one for
// each key. What it returns gives the bytes of a buffer of a tensor, or null.
export function open(wasm, file, words) {
  const up = (address) => Math.ceil(address / 8) * 8;
  const start = up(wasm.__heap_base.value);
  const scratch = up(start + file.length);
  const nameAt = scratch + 8 * words;
  // a name has at most 65535 bytes
  const more = nameAt + 65536 - wasm.memory.buffer.byteLength;
  if (more > 0) wasm.memory.grow(Math.ceil(more / 65536));
  new Uint8Array(wasm.memory.buffer, start).set(file);
  const rule = wasm.open(start, file.length, scratch, words);
  if (rule !== 0) throw new Error(rule > 0 ? `rule ${rule}` : "too few words");
  return (tensor, buffer = 0) => {
    const name = new TextEncoder().encode(tensor);
    new Uint8Array(wasm.memory.buffer, nameAt, 65536).set(name);
    const place = BigInt.asUintN(64, wasm.find(nameAt, name.length, buffer));
    const [address, length] = [Number(place & 0xffffffffn), Number(place >> 32n)];
    return place === 0n ? null : new Uint8Array(wasm.memory.buffer, address, length);
  };
}
