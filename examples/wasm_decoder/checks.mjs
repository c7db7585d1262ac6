// What run.mjs and run_container.mjs share: the module, the test vectors, and counted checks.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const here = new URL(".", import.meta.url);
const folder = new URL("../../tests/vectors/", here);
// where cargo builds, told as to cargo
const target = process.env.CARGO_TARGET_DIR
  ? pathToFileURL(resolve(process.env.CARGO_TARGET_DIR) + "/")
  : new URL("target/", here);

// The exports of the module at `path`, or of the one that cargo built as `name`.
export function load(path, name) {
  const file = path ?? new URL(`wasm32-unknown-unknown/release/${name}.wasm`, target);
  const bytes = readFileSync(file);
  // what docs/wasm.md says
  check("size of the module", bytes.length < 48 * 1024 ? null : `${bytes.length} bytes`);
  const module = new WebAssembly.Module(bytes);
  if (WebAssembly.Module.imports(module).length > 0) throw new Error("the module imports something");
  return new WebAssembly.Instance(module, {}).exports;
}

export const vector = (name) => readFileSync(new URL(name, folder));
export const manifest = (name) => JSON.parse(vector(name));

const FAMILIES = [
  "DESC", "TYPE", "LAYOUT", "BUF", "QUANT", "SHARD", "STAT", "EXT", "MEMBER", "COMP", "STREAM", "VER", "FILE",
];

export const ruleId = (number) => {
  const family = FAMILIES[Math.floor(number / 100) - 1];
  return `${family}-${String(number % 100).padStart(2, "0")}`;
};

// One more byte of a CRC-32C that starts as ~0; and such a checksum as the manifests write it.
export const crcByte = (crc, byte) => {
  crc ^= byte;
  for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (0x82f63b78 & -(crc & 1));
  return crc;
};
export const hex = (crc) => (~crc >>> 0).toString(16).padStart(8, "0");

let [passed, failed] = [0, 0];

// Counts a check, which failed where there is a problem.
export function check(name, problem) {
  if (problem === null) return passed++;
  failed++;
  console.log(`failed: ${name}: ${problem}`);
}

export const same = (said, wanted) => (said === wanted ? null : `${said} instead of ${wanted}`);

export function done() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}
