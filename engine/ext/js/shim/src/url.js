class URLSearchParams {
  #pairs = [];
  #changed;
  constructor(init = "", changed) {
    this.#changed = typeof changed === "function" ? changed : () => {};
    if (init === null || init === undefined) return;
    if (typeof init === "object" || typeof init === "function") {
      const pairs = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
      for (const pair of pairs) {
        const [k, v, ...more] = [...(Array.isArray(pair) ? pair : [...pair])];
        if (v === undefined || more.length) throw Object.assign(new TypeError("Each query pair must be an iterable [name, value] tuple"), { code: "ERR_INVALID_TUPLE" });
        this.#pairs.push([String(k), String(v)]);
      }
    } else this.#pairs = parse(String(init).replace(/^\?/, ""));
  }
  get size() { return this.#pairs.length; }
  append(name, value) { this.#pairs.push([String(name), String(value)]); this.#changed(this); }
  delete(name, value) {
    this.#pairs = this.#pairs.filter(([k, v]) => k !== String(name) || (value !== undefined && v !== String(value)));
    this.#changed(this);
  }
  get(name) { return this.#pairs.find(([k]) => k === String(name))?.[1] ?? null; }
  getAll(name) { return this.#pairs.filter(([k]) => k === String(name)).map(([, v]) => v); }
  has(name, value) { return this.#pairs.some(([k, v]) => k === String(name) && (value === undefined || v === String(value))); }
  set(name, value) {
    const at = this.#pairs.findIndex(([k]) => k === String(name));
    if (at < 0) return this.append(name, value);
    this.#pairs[at] = [String(name), String(value)];
    this.#pairs = this.#pairs.filter(([k], i) => i <= at || k !== String(name));
    this.#changed(this);
  }
  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed(this);
  }
  forEach(fn, self) { for (const [k, v] of this) fn.call(self, v, k, this); }
  *entries() { for (const [k, v] of this.#pairs) yield [k, v]; }
  *keys() { for (const [k] of this.#pairs) yield k; }
  *values() { for (const [, v] of this.#pairs) yield v; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return this.#pairs.map(([k, v]) => encode(k) + "=" + encode(v)).join("&"); }
  get [Symbol.toStringTag]() { return "URLSearchParams"; }
}
const encode = (s) => encodeURIComponent(s.toWellFormed?.() ?? s).replace(/[!'()~]|%20/g, (c) => (c === "%20" ? "+" : "%" + c.charCodeAt(0).toString(16).toUpperCase()));
function decode(s) {
  const text = s.replace(/\+/g, " ");
  try {
    return decodeURIComponent(text);
  } catch {
    const bytes = [];
    for (let i = 0; i < text.length; i++) {
      const hex = text.slice(i + 1, i + 3);
      if (text[i] === "%" && /^[0-9a-f]{2}$/i.test(hex)) { bytes.push(parseInt(hex, 16)); i += 2; }
      else bytes.push(...new Uint8Array(native.decode(text[i], "utf8")));
    }
    return native.encode(new Uint8Array(bytes), "utf8");
  }
}
const parse = (query) => query.split("&").filter(Boolean).map((part) => {
  const at = part.indexOf("=");
  return at < 0 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
});

class URL {
  #parts;
  #params;
  constructor(input, base) {
    this.#parts = native.url(String(input), base === undefined ? undefined : String(base));
    if (this.#parts === null) {
      const err = new TypeError("Invalid URL");
      err.code = "ERR_INVALID_URL";
      err.input = String(input);
      throw err;
    }
  }
  static canParse(input, base) { return native.url(String(input), base === undefined ? undefined : String(base)) !== null; }
  static parse(input, base) { return URL.canParse(input, base) ? new URL(input, base) : null; }
  #change(name, value) {
    this.#parts = native.urlWith(this.#parts.href, name, String(value)) ?? this.#parts;
    if (name === "search") this.#params = undefined;
  }
  get searchParams() {
    this.#params ??= new URLSearchParams(this.#parts.search, (p) => {
      this.#parts = native.urlWith(this.#parts.href, "search", p.toString()) ?? this.#parts;
    });
    return this.#params;
  }
  get href() { return this.#parts.href; }
  set href(value) {
    const url = new URL(value);
    this.#parts = native.url(url.href, undefined);
    this.#params = undefined;
  }
  get origin() { return this.#parts.origin; }
  get protocol() { return this.#parts.protocol; }
  set protocol(v) { this.#change("protocol", v); }
  get username() { return this.#parts.username; }
  set username(v) { this.#change("username", v); }
  get password() { return this.#parts.password; }
  set password(v) { this.#change("password", v); }
  get host() { return this.#parts.host; }
  set host(v) { this.#change("host", v); }
  get hostname() { return this.#parts.hostname; }
  set hostname(v) { this.#change("hostname", v); }
  get port() { return this.#parts.port; }
  set port(v) { this.#change("port", v); }
  get pathname() { return this.#parts.pathname; }
  set pathname(v) { this.#change("pathname", v); }
  get search() { return this.#parts.search; }
  set search(v) { this.#change("search", v); }
  get hash() { return this.#parts.hash; }
  set hash(v) { this.#change("hash", v); }
  toString() { return this.href; }
  toJSON() { return this.href; }
  get [Symbol.toStringTag]() { return "URL"; }
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    const { href, origin, protocol, host, pathname, search, hash } = this;
    return "URL " + inspect({ href, origin, protocol, host, pathname, search, hash }, options);
  }
}
exports.URL = URL;
exports.URLSearchParams = URLSearchParams;
exports.fileURLToPath = (url) => {
  const u = typeof url === "string" ? new URL(url) : url;
  if (u.protocol !== "file:") throw Object.assign(new TypeError("The URL must be of scheme file"), { code: "ERR_INVALID_URL_SCHEME" });
  const path = decodeURIComponent(u.pathname);
  return native.platform === "win32" ? path.slice(1).replace(/\//g, "\\") : path;
};
exports.pathToFileURL = (path) => {
  const absolute = require("path").resolve(path);
  const slashed = native.platform === "win32" ? "/" + absolute.replace(/\\/g, "/") : absolute;
  const end = /[/\\]$/.test(path) && !slashed.endsWith("/") ? "/" : "";
  return new URL("file://" + (slashed + end).replace(/%/g, "%25").replace(/\\/g, "%5C").replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/\t/g, "%09").replace(/\?/g, "%3F").replace(/#/g, "%23"));
};
exports.format = (u) => (typeof u === "string" ? u : u.href ?? String(u));
