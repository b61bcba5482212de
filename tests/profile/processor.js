// Perfetto's trace processor, which is compiled to WebAssembly for browsers, under Node: loads a trace and answers
// queries.
//
//     node processor.js FOLDER TRACE < QUERIES        FOLDER has engine_bundle.js and the wasm, QUERIES is a list as JSON
//
// Prints a list of answers as JSON, each a list of rows. The messages are those of perfetto's trace_processor.proto.
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");
const [folder, trace] = process.argv.slice(2);

const kAppend = 1, kFinalize = 2, kQuery = 3;  // TraceProcessorMethod
const kNull = 1, kVarint = 2, kFloat = 3, kString = 4;  // CellType

// ---- protocol buffers, as far as they are needed

const varint = (value) => {
  const bytes = [];
  for (let v = BigInt(value); ; v >>= 7n) {
    if (v < 128n) return [...bytes, Number(v)];
    bytes.push(Number(v & 127n) | 128);
  }
};
const number = (field, value) => Buffer.from([...varint(field << 3), ...varint(value)]);
const bytes = (field, value) => Buffer.concat([Buffer.from([...varint(field << 3 | 2), ...varint(value.length)]), value]);

function read_varint(buffer, at) {
  let value = 0n, shift = 0n, byte;
  do {
    byte = buffer[at.i++];
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
  } while (byte & 128);
  return BigInt.asIntN(64, value);
}
function fields(buffer) {
  const found = [];
  for (const at = {i: 0}; at.i < buffer.length;) {
    const key = Number(read_varint(buffer, at)), kind = key & 7;
    if (kind === 0) found.push([key >> 3, read_varint(buffer, at)]);
    if (kind === 1) found.push([key >> 3, buffer.subarray(at.i, at.i += 8)]);
    if (kind === 2) {
      const length = Number(read_varint(buffer, at));
      found.push([key >> 3, buffer.subarray(at.i, at.i += length)]);
    }
    if (![0, 1, 2].includes(kind)) throw new Error(`field of kind ${kind}`);
  }
  return found;
}
const of = (message, field) => message.filter(([f]) => f === field).map(([, value]) => value);

// ---- the engine: a worker of a browser in its own eyes

let reply = null;
const port = {postMessage: (data) => reply(Buffer.from(data))};
const wasm = (name) => fs.readFileSync(path.join(folder, path.basename(String(name))));
const self = {location: {href: "http://localhost/engine_bundle.js"}, onmessage: null};
class XMLHttpRequest {  // fetches the wasm
  open(method, url) { this.url = url; }
  send() { this.response = Uint8Array.from(fs.readFileSync(path.join(folder, path.basename(String(this.url))))).buffer; }
}
const silent = {log() {}, warn() {}, error() {}};
const world = {self, TextDecoder, TextEncoder, URL, performance, setTimeout, clearTimeout, XMLHttpRequest,
               console: silent, location: self.location, crypto: globalThis.crypto, WorkerGlobalScope: Object};
vm.createContext(world);
vm.runInContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), world, "engine_bundle.js");
const Bytes = vm.runInContext("Uint8Array", world);  // the engine's own

let sequence = 0;
function ask(method, ...more) {
  const message = Buffer.concat([number(1, ++sequence), number(2, method), ...more]);
  const answers = [];
  reply = (data) => answers.push(...of(fields(data), 1).map(fields));
  port.onmessage({data: Bytes.from(bytes(1, message))});
  for (const answer of answers) {
    const fatal = of(answer, 5);
    if (fatal.length) throw new Error(String(fatal[0]));
  }
  return answers;
}

function append(text) {
  for (const answer of ask(kAppend, bytes(101, text)))
    for (const result of of(answer, 201))
      for (const error of of(fields(result), 2)) throw new Error(String(error));
}

function query(sql) {
  const columns = [], rows = [];
  let row = [];
  for (const answer of ask(kQuery, bytes(103, bytes(1, Buffer.from(sql)))))
    for (const result of of(answer, 203)) {
      const parts = fields(result);
      for (const error of of(parts, 2)) throw new Error(`${sql}: ${error}`);
      columns.push(...of(parts, 1).map(String));
      for (const batch of of(parts, 3).map(fields)) {
        const packed = (field) => {
          const all = [];
          for (const data of of(batch, field)) for (const at = {i: 0}; at.i < data.length;) all.push(Number(read_varint(data, at)));
          return all;
        };
        const kinds = packed(1), integers = packed(2);
        const floats = of(batch, 3).flatMap((d) => [...Array(d.length / 8).keys()].map((i) => d.readDoubleLE(i * 8)));
        const strings = of(batch, 5).join("").split("\0");
        for (const kind of kinds) {
          if (![kNull, kVarint, kFloat, kString].includes(kind)) throw new Error(`cell of kind ${kind}`);
          row.push(kind === kNull ? null : kind === kVarint ? integers.shift() : kind === kFloat ? floats.shift() : strings.shift());
          if (row.length < columns.length) continue;
          rows.push(row);
          row = [];
        }
      }
    }
  return rows;
}

async function main() {
  const queries = JSON.parse(fs.readFileSync(0, "utf8"));
  await new Promise((resolve) => setTimeout(resolve, 0));  // what the engine still had to do to be ready
  self.onmessage({data: port});
  append(fs.readFileSync(trace));
  ask(kFinalize);
  process.stdout.write(JSON.stringify(queries.map(query)));
}

main().catch((error) => {
  console.error(String(error).slice(0, 2000));
  process.exit(1);
});
