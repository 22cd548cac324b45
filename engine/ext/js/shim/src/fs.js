const { Buffer } = require("buffer");
const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2 };

const pathOf = (p) => {
  if (typeof p === "string") return p;
  if (p instanceof URL) return require("url").fileURLToPath(p);
  if (p instanceof Uint8Array) return Buffer.from(p).toString();
  throw Object.assign(new TypeError('The "path" argument must be of type string or an instance of Buffer or URL. Received ' + (p === null ? "null" : typeof p)), { code: "ERR_INVALID_ARG_TYPE" });
};
const options = (o) => (typeof o === "string" ? { encoding: o } : o ?? {});
const dataOf = (d, encoding) => (typeof d === "string" ? native.decode(d, require("buffer").encodingOf(encoding)) : ArrayBuffer.isView(d) ? new Uint8Array(d.buffer, d.byteOffset, d.byteLength) : d instanceof ArrayBuffer ? d : native.decode(String(d), "utf8"));
const text = (buffer, o) => (o.encoding && o.encoding !== "buffer" ? buffer.toString(o.encoding) : buffer);

class Kind {
  #letter;
  constructor(letter) { this.#letter = letter; }
  isFile() { return this.#letter === "f"; }
  isDirectory() { return this.#letter === "d"; }
  isSymbolicLink() { return this.#letter === "l"; }
  isFIFO() { return false; }
  isSocket() { return false; }
  isBlockDevice() { return false; }
  isCharacterDevice() { return this.#letter === "o"; }
}
class Dirent extends Kind {
  constructor(name, letter, parent) {
    super(letter);
    this.name = name;
    this.parentPath = this.path = parent;
  }
}
class Stats extends Kind {
  constructor([letter, size, mode, changed]) {
    super(letter);
    Object.assign(this, { dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, size, mode, blksize: 4096, blocks: Math.ceil(size / 512) });
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) {
      this[name + "Ms"] = changed;
      this[name] = new Date(changed);
    }
  }
}

// walk lists what is below a folder, depth first.
function listing(pairs, path, o) {
  const out = [];
  for (let i = 0; i < pairs.length; i += 2) out.push(new Dirent(pairs[i], pairs[i + 1], path));
  out.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return out;
}
const shown = (entries, top, o) => (o.withFileTypes ? entries : entries.map((e) => (e.path === top ? e.name : e.path.slice(top.length).replace(/^[\\/]/, "") + "/" + e.name)));

// operations are [arguments for Go, what to make of its answer].
const operations = {
  readFile: (p, o) => [["open", pathOf(p)], (b) => text(Buffer.from(b), options(o))],
  writeFile: (p, d, o) => {
    o = options(o);
    const append = /^a/.test(o.flag ?? "");
    return [[append ? "append" : "write", pathOf(p), undefined, dataOf(d, o.encoding), { mode: o.mode, exclusive: /x/.test(o.flag ?? "") }]];
  },
  appendFile: (p, d, o) => [["append", pathOf(p), undefined, dataOf(d, options(o).encoding), { mode: options(o).mode }]],
  mkdir: (p, o) => [["mkdir", pathOf(p), undefined, undefined, typeof o === "number" ? { mode: o } : o ?? {}]],
  mkdtemp: (p) => [["mkdtemp", pathOf(p)], (made) => made],
  stat: (p) => [["stat", pathOf(p)], (s) => new Stats(s)],
  lstat: (p) => [["lstat", pathOf(p)], (s) => new Stats(s)],
  access: (p, mode) => [["access", pathOf(p), undefined, undefined, { exclusive: !!(mode & 2) }]],
  rm: (p, o) => [["rm", pathOf(p), undefined, undefined, o ?? {}]],
  rmdir: (p, o) => [[o?.recursive ? "rm" : "rmdir", pathOf(p), undefined, undefined, o ?? {}]],
  unlink: (p) => [["unlink", pathOf(p)]],
  rename: (from, to) => [["rename", pathOf(from), pathOf(to)]],
  copyFile: (from, to, mode) => [["copyfile", pathOf(from), pathOf(to), undefined, { exclusive: !!(mode & 1) }]],
  realpath: (p) => [["realpath", pathOf(p)], (real) => real],
  readlink: (p) => [["readlink", pathOf(p)], (to) => to],
  symlink: (to, p) => [["symlink", pathOf(p), pathOf(to)]],
  chmod: (p, mode) => [["chmod", pathOf(p), undefined, undefined, { mode: typeof mode === "string" ? parseInt(mode, 8) : mode }]],
};
const promises = { constants };
for (const [name, prepare] of Object.entries(operations)) {
  const none = () => undefined;
  exports[name + "Sync"] = (...args) => {
    const [call, make = none] = prepare(...args);
    return make(native.file(...call));
  };
  promises[name] = async (...args) => {
    const [call, make = none] = prepare(...args);
    return make(await native.fileLater(...call));
  };
}
exports.readdirSync = (p, o) => {
  o = options(o);
  const top = pathOf(p), out = [];
  const visit = (path) => {
    for (const e of listing(native.file("scandir", path), path)) {
      out.push(e);
      if (o.recursive && e.isDirectory()) visit(path.replace(/[\\/]$/, "") + "/" + e.name);
    }
  };
  visit(top);
  return shown(out, top, o);
};
promises.readdir = async (p, o) => {
  o = options(o);
  const top = pathOf(p), out = [];
  const visit = async (path) => {
    for (const e of listing(await native.fileLater("scandir", path), path)) {
      out.push(e);
      if (o.recursive && e.isDirectory()) await visit(path.replace(/[\\/]$/, "") + "/" + e.name);
    }
  };
  await visit(top);
  return shown(out, top, o);
};
const { statSync, lstatSync } = exports;
const quiet = (stat) => (p, o) => {
  try {
    return stat(p, o);
  } catch (err) {
    if (o?.throwIfNoEntry === false && err.code === "ENOENT") return undefined;
    throw err;
  }
};
exports.statSync = quiet(statSync);
exports.lstatSync = quiet(lstatSync);
exports.existsSync = (p) => {
  native.allowed("fs", "fs.existsSync");
  try {
    native.file("access", pathOf(p));
    return true;
  } catch {
    return false;
  }
};
for (const name of Object.keys(promises)) {
  if (name === "constants") continue;
  exports[name] = (...args) => {
    const done = args.pop();
    if (typeof done !== "function") throw Object.assign(new TypeError('The "cb" argument must be of type function. Received ' + typeof done), { code: "ERR_INVALID_ARG_TYPE" });
    promises[name](...args).then((v) => done(null, v), done);
  };
}
exports.exists = (p, done) => queueMicrotask(() => done(exports.existsSync(p)));
exports.realpathSync.native = exports.realpathSync;
Object.assign(exports, { promises, constants, Stats, Dirent, ...constants });
