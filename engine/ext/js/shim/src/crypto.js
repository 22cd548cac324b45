const { Buffer, encodingOf } = require("buffer");
const bytes = (data, encoding) => (typeof data === "string" ? Buffer.from(data, encoding) : ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data));
class Hash {
  #parts = [];
  #done = false;
  constructor(algorithm, key) {
    native.hash(algorithm, "", key); // an unknown algorithm fails here
    this.finish = () => native.hash(algorithm, Buffer.concat(this.#parts), key);
  }
  update(data, encoding) {
    if (this.#done) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    this.#parts.push(Buffer.from(bytes(data, encoding)));
    return this;
  }
  digest(encoding) {
    if (this.#done) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    this.#done = true;
    const sum = Buffer.from(this.finish());
    return encoding === undefined || encoding === "buffer" ? sum : sum.toString(encoding);
  }
}
exports.createHash = (algorithm) => new Hash(algorithm);
exports.createHmac = (algorithm, key) => new Hash(algorithm, bytes(key));
exports.hash = (algorithm, data, encoding = "hex") => new Hash(algorithm).update(data).digest(encoding);
exports.getHashes = () => ["md5", "sha1", "sha256", "sha384", "sha512"];
exports.randomBytes = (n, done) => {
  const made = Buffer.from(native.random(n));
  if (!done) return made;
  queueMicrotask(() => done(null, made));
};
exports.randomInt = (min, max) => {
  if (max === undefined) [min, max] = [0, min];
  return min + Math.floor((Number(new DataView(native.random(8)).getBigUint64(0) >> 11n) / 2 ** 53) * (max - min));
};
exports.randomUUID = () => {
  const b = new Uint8Array(native.random(16));
  b[6] = (b[6] & 0x0f) | 0x40;
  b[8] = (b[8] & 0x3f) | 0x80;
  return native.encode(b, "hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};
exports.getRandomValues = (view) => {
  if (!ArrayBuffer.isView(view)) throw new TypeError("The argument must be an integer-typed array");
  if (view.byteLength > 65536) throw new (require("eventtarget").DOMException)("The requested length exceeds 65,536 bytes", "QuotaExceededError");
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(new Uint8Array(native.random(view.byteLength)));
  return view;
};
exports.timingSafeEqual = (a, b) => {
  if (a.length !== b.length) throw new RangeError("Input buffers must have the same byte length");
  let different = 0;
  for (let i = 0; i < a.length; i++) different |= a[i] ^ b[i];
  return different === 0;
};
exports.webcrypto = {
  randomUUID: exports.randomUUID,
  getRandomValues: exports.getRandomValues,
  subtle: { digest: async (algorithm, data) => native.hash(algorithm.name ?? algorithm, bytes(data), undefined) },
};
