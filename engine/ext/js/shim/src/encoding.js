function view(input) {
  if (input === undefined) return new Uint8Array(0);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  throw new TypeError("The argument must be an ArrayBuffer or a view of one");
}
class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(text = "") { return new Uint8Array(native.decode(String(text), "utf8")); }
  encodeInto(text, into) {
    let read = 0, written = 0;
    for (const c of String(text)) {
      const bytes = this.encode(c);
      if (written + bytes.length > into.length) break;
      into.set(bytes, written);
      written += bytes.length;
      read += c.length;
    }
    return { read, written };
  }
}
const names = { "utf-8": "utf8", utf8: "utf8", "utf-16le": "utf16le", "utf-16": "utf16le", latin1: "latin1", "iso-8859-1": "latin1", ascii: "latin1", "windows-1252": "latin1" };

// tail is how many bytes at the end begin a character that isn't whole.
function tail(b) {
  for (let n = 1; n <= Math.min(3, b.length); n++) {
    const c = b[b.length - n];
    if (c >= 0xc0) return n < (c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2) ? n : 0;
    if (c < 0x80) return 0;
  }
  return 0;
}
class TextDecoder {
  #left = new Uint8Array(0);
  #begun = false;
  constructor(label = "utf-8", options = {}) {
    this.name = names[String(label).trim().toLowerCase()];
    if (!this.name) throw Object.assign(new RangeError('The "' + label + '" encoding is not supported'), { code: "ERR_ENCODING_NOT_SUPPORTED" });
    this.encoding = { utf8: "utf-8", utf16le: "utf-16le", latin1: "windows-1252" }[this.name];
    this.fatal = !!options.fatal;
    this.ignoreBOM = !!options.ignoreBOM;
  }
  decode(input, options = {}) {
    let bytes = view(input);
    if (this.#left.length) {
      const joined = new Uint8Array(this.#left.length + bytes.length);
      joined.set(this.#left);
      joined.set(bytes, this.#left.length);
      bytes = joined;
    }
    const keep = !options.stream ? 0 : this.name === "utf8" ? tail(bytes) : this.name === "utf16le" ? bytes.length % 2 : 0;
    this.#left = bytes.slice(bytes.length - keep);
    bytes = bytes.subarray(0, bytes.length - keep);
    if (this.fatal && this.name === "utf8" && !native.validUTF8(bytes)) {
      const err = new TypeError("The encoded data was not valid for encoding utf-8");
      err.code = "ERR_ENCODING_INVALID_ENCODED_DATA";
      throw err;
    }
    let text = native.encode(bytes, this.name);
    if (!this.#begun && !this.ignoreBOM && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    this.#begun = !!options.stream && (this.#begun || bytes.length > 0);
    return text;
  }
}
Object.assign(exports, { TextEncoder, TextDecoder, view, tail });
