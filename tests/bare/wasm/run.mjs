// Runs the bare checks: node run.mjs MODULE
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const result = instance.exports.run();
console.log(result > 0 ? `${result} passed, 0 failed` : `check ${-result} failed`);
process.exit(result > 0 ? 0 : 1);
