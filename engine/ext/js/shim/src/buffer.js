const aliases = { utf8: "utf8", "utf-8": "utf8", hex: "hex", base64: "base64", base64url: "base64url", latin1: "latin1", binary: "latin1", ascii: "ascii", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le", "utf-16le": "utf16le" };
function encodingOf(name) {
  if (name === undefined || name === null) return "utf8";
  const known = aliases[String(name).toLowerCase()];
  if (!known) throw Object.assign(new TypeError("Unknown encoding: " + name), { code: "ERR_UNKNOWN_ENCODING" });
  return known;
}

class Buffer extends Uint8Array {
  static poolSize = 8192;
  static from(value, encodingOrOffset, length) {
    if (typeof value === "string") return new Buffer(native.decode(value, encodingOf(encodingOrOffset)));
    if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset ?? 0, length ?? value.byteLength - (encodingOrOffset ?? 0));
    if (value && value.type === "Buffer" && Array.isArray(value.data)) value = value.data;
    if (value !== null && typeof value === "object" && typeof value.valueOf() === "string") return Buffer.from(value.valueOf(), encodingOrOffset);
    if (typeof value !== "object" || value === null)
      throw Object.assign(new TypeError("The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object."), { code: "ERR_INVALID_ARG_TYPE" });
    const made = new Buffer(value.length ?? 0);
    for (let i = 0; i < made.length; i++) made[i] = value[i];
    return made;
  }
  static of(...bytes) { return Buffer.from(bytes); }
  static alloc(size, fill, encoding) {
    const made = new Buffer(size);
    return fill === undefined ? made : made.fill(fill, encoding);
  }
  static allocUnsafe(size) { return new Buffer(size); }
  static allocUnsafeSlow(size) { return new Buffer(size); }
  static isBuffer(value) { return value instanceof Buffer; }
  static isEncoding(name) { return String(name).toLowerCase() in aliases; }
  static byteLength(value, encoding) { return typeof value === "string" ? native.decode(value, encodingOf(encoding)).byteLength : value.byteLength; }
  static compare(a, b) { return compare(a, b); }
  static concat(list, total) {
    total ??= list.reduce((n, b) => n + b.length, 0);
    const made = new Buffer(total);
    let at = 0;
    for (const b of list) {
      made.set(b.subarray(0, Math.max(0, total - at)), at);
      at += Math.min(b.length, total - at);
    }
    return made;
  }
  get parent() { return this.buffer; }
  toString(encoding, start = 0, end = this.length) {
    return native.encode(super.subarray(Math.max(0, start), Math.min(end, this.length)), encodingOf(encoding));
  }
  toLocaleString(encoding, start, end) { return this.toString(encoding, start, end); }
  toJSON() { return { type: "Buffer", data: Array.from(this) }; }
  slice(start, end) { return this.subarray(start, end); }
  subarray(start, end) {
    const part = super.subarray(start, end);
    return part instanceof Buffer ? part : new Buffer(part.buffer, part.byteOffset, part.length);
  }
  equals(other) { return compare(this, other) === 0; }
  compare(other) { return compare(this, other); }
  copy(target, at = 0, start = 0, end = this.length) {
    const part = super.subarray(start, Math.min(end, start + target.length - at));
    target.set(part, at);
    return part.length;
  }
  write(text, offset = 0, length, encoding) {
    if (typeof offset === "string") [encoding, offset, length] = [offset, 0, undefined];
    else if (typeof length === "string") [encoding, length] = [length, undefined];
    const bytes = new Uint8Array(native.decode(text, encodingOf(encoding)));
    const n = Math.min(bytes.length, length ?? Infinity, this.length - offset);
    this.set(bytes.subarray(0, n), offset);
    return n;
  }
  fill(value, start, end, encoding) {
    if (typeof start === "string") [encoding, start] = [start, undefined];
    if (typeof value !== "string") return super.fill(value, start, end);
    const bytes = new Uint8Array(native.decode(value, encodingOf(encoding)));
    if (!bytes.length) return super.fill(0, start, end);
    for (let i = start ?? 0, n = 0; i < (end ?? this.length); i++, n++) this[i] = bytes[n % bytes.length];
    return this;
  }
  indexOf(value, from = 0, encoding) { return search(this, value, from, encoding, 1); }
  lastIndexOf(value, from = this.length, encoding) { return search(this, value, from, encoding, -1); }
  includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0; }
  #view() { return new DataView(this.buffer, this.byteOffset, this.byteLength); }
  static {
    const kinds = { UInt8: ["Uint8", 1], UInt16: ["Uint16", 2], UInt32: ["Uint32", 4], Int8: ["Int8", 1], Int16: ["Int16", 2], Int32: ["Int32", 4], Float: ["Float32", 4], Double: ["Float64", 8], BigInt64: ["BigInt64", 8], BigUInt64: ["BigUint64", 8] };
    const define = (name, value) => Object.defineProperty(Buffer.prototype, name, { value, configurable: true, writable: true });
    for (const [name, [kind, size]] of Object.entries(kinds)) {
      for (const end of size === 1 ? [""] : ["LE", "BE"]) {
        const little = end === "LE";
        const read = function (at = 0) { return this.#view()["get" + kind](at, little); };
        const write = function (v, at = 0) { this.#view()["set" + kind](at, v, little); return at + size; };
        for (const n of name.includes("UInt") ? [name, name.replace("UInt", "Uint")] : [name]) {
          define("read" + n + end, read);
          define("write" + n + end, write);
        }
      }
    }
  }
  [Symbol.for("nodejs.util.inspect.custom")]() {
    const shown = Array.from(super.subarray(0, 50), (b) => b.toString(16).padStart(2, "0")).join(" ");
    return "<Buffer" + (shown && " " + shown) + (this.length > 50 ? " ... " + (this.length - 50) + " more bytes" : "") + ">";
  }
}
function compare(a, b) {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return Math.sign(a.length - b.length);
}
function search(buffer, value, from, encoding, step) {
  if (typeof from === "string") [encoding, from] = [from, step > 0 ? 0 : buffer.length];
  const wanted = typeof value === "number" ? [value & 255] : typeof value === "string" ? new Uint8Array(native.decode(value, encodingOf(encoding))) : value;
  if (from < 0) from = Math.max(0, buffer.length + from);
  for (let i = Math.min(from, buffer.length - wanted.length); i >= 0 && i <= buffer.length - wanted.length; i += step) {
    let n = 0;
    while (n < wanted.length && buffer[i + n] === wanted[n]) n++;
    if (n === wanted.length && i >= (step > 0 ? from : 0)) return i;
  }
  return -1;
}
function atob(text) {
  const clean = String(text).replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
  if (/[^A-Za-z0-9+/]/.test(clean) || clean.length % 4 === 1) {
    const { DOMException } = require("eventtarget");
    throw new DOMException("The string to be decoded is not correctly encoded.", "InvalidCharacterError");
  }
  return native.encode(new Uint8Array(native.decode(clean, "base64")), "latin1");
}
function btoa(text) {
  if (/[^\x00-\xff]/.test(String(text))) {
    const { DOMException } = require("eventtarget");
    throw new DOMException("Invalid character", "InvalidCharacterError");
  }
  return native.encode(new Uint8Array(native.decode(String(text), "latin1")), "base64");
}
Object.assign(exports, { Buffer, atob, btoa, constants: { MAX_LENGTH: 2 ** 31 - 1 }, encodingOf });
