const { AbortSignal } = require("eventtarget");
const { URLSearchParams } = require("url");
const { view } = require("encoding");

class Headers {
  #map = new Map();
  constructor(init) {
    if (!init) return;
    for (const [k, v] of typeof init[Symbol.iterator] === "function" ? init : Object.entries(init)) this.append(k, v);
  }
  static #name(name) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(String(name))) throw new TypeError("Header name must be a valid HTTP token [" + name + "]");
    return String(name).toLowerCase();
  }
  append(name, value) {
    const key = Headers.#name(name);
    this.#map.set(key, [...(this.#map.get(key) ?? []), String(value).trim()]);
  }
  set(name, value) { this.#map.set(Headers.#name(name), [String(value).trim()]); }
  get(name) { return this.#map.get(Headers.#name(name))?.join(", ") ?? null; }
  has(name) { return this.#map.has(Headers.#name(name)); }
  delete(name) { this.#map.delete(Headers.#name(name)); }
  getSetCookie() { return this.#map.get("set-cookie") ?? []; }
  forEach(fn, self) { for (const [k, v] of this) fn.call(self, v, k, this); }
  *entries() { for (const k of [...this.#map.keys()].sort()) yield [k, this.#map.get(k).join(", ")]; }
  *keys() { for (const [k] of this.entries()) yield k; }
  *values() { for (const [, v] of this.entries()) yield v; }
  [Symbol.iterator]() { return this.entries(); }
}

// content is a body's bytes and the type that goes with it.
function content(body) {
  if (body === null || body === undefined) return [null, null];
  if (typeof body === "string") return [native.decode(body, "utf8"), "text/plain;charset=UTF-8"];
  if (body instanceof URLSearchParams) return [native.decode(body.toString(), "utf8"), "application/x-www-form-urlencoded;charset=UTF-8"];
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return [view(body).slice().buffer, null];
  return [native.decode(String(body), "utf8"), "text/plain;charset=UTF-8"];
}

class Body {
  #bytes;
  bodyUsed = false;
  constructor(bytes) { this.#bytes = bytes; }
  #take() {
    if (this.bodyUsed) throw new TypeError("Body is unusable: Body has already been read");
    this.bodyUsed = this.#bytes !== null;
    return this.#bytes ?? new ArrayBuffer(0);
  }
  async arrayBuffer() { return this.#take(); }
  async bytes() { return new Uint8Array(this.#take()); }
  async text() { return new TextDecoder().decode(this.#take()); }
  async json() { return JSON.parse(await this.text()); }
}
const raw = Symbol("raw");

class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : null;
    const [bytes, type] = init.body !== undefined ? content(init.body) : [from?.[raw] ?? null, null];
    super(bytes);
    this[raw] = bytes;
    this.url = from ? from.url : new URL(String(input)).href;
    this.method = String(init.method ?? from?.method ?? "GET").toUpperCase();
    this.headers = new Headers(init.headers ?? from?.headers);
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
    this.redirect = init.redirect ?? from?.redirect ?? "follow";
    if (bytes !== null && (this.method === "GET" || this.method === "HEAD")) throw new TypeError("Request with GET/HEAD method cannot have body.");
    if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
  }
  clone() { return new Request(this); }
}

class Response extends Body {
  constructor(body = null, init = {}) {
    const [bytes, type] = content(body);
    super(bytes);
    this[raw] = bytes;
    this.status = init.status ?? 200;
    this.statusText = init.statusText ?? "";
    this.headers = new Headers(init.headers);
    if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
    this.url = init.url ?? "";
    this.redirected = !!init.redirected;
    this.type = "default";
  }
  get ok() { return this.status >= 200 && this.status < 300; }
  // The whole body has come when the response is there, so it is one piece.
  get body() {
    if (this[raw] === null) return null;
    const self = this;
    const read = async () => (self.bodyUsed ? { value: undefined, done: true } : { value: await self.bytes(), done: false });
    return {
      getReader: () => ({ read, cancel: async () => { self.bodyUsed = true; }, releaseLock() {} }),
      cancel: async () => { self.bodyUsed = true; },
      [Symbol.asyncIterator]: () => ({ next: read, return: async () => ({ value: undefined, done: true }) }),
    };
  }
  clone() { return new Response(this[raw], this); }
  static json(data, init = {}) {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(JSON.stringify(data), { ...init, headers });
  }
  static error() { return new Response(null, { status: 0 }); }
}

async function fetch(input, init) {
  const request = new Request(input, init);
  const signal = request.signal;
  signal.throwIfAborted();
  const headers = [];
  for (const [k, v] of request.headers) headers.push(k, v);
  const work = native.fetch({ method: request.method, url: request.url, headers, body: request[raw], redirect: request.redirect });
  const stop = () => work.cancel();
  signal.addEventListener("abort", stop);
  try {
    const r = await work.promise;
    const pairs = [];
    for (let i = 0; i < r.headers.length; i += 2) pairs.push([r.headers[i], r.headers[i + 1]]);
    if (request.redirect === "error" && r.status >= 300 && r.status < 400) throw new TypeError("fetch failed: unexpected redirect");
    return new Response(r.body, { status: r.status, statusText: r.statusText, headers: pairs, url: r.url, redirected: r.redirected });
  } catch (err) {
    if (signal.aborted) throw signal.reason;
    throw err;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
Object.assign(exports, { fetch, Headers, Request, Response });
