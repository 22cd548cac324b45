// The rules of POSIX; on Windows both slashes count and drives are roots.
function make(win) {
  const sep = win ? "\\" : "/";
  const isSep = (c) => c === "/" || (win && c === "\\");
  const check = (p, name = "path") => {
    if (typeof p !== "string") throw Object.assign(new TypeError('The "' + name + '" argument must be of type string. Received ' + (p === null ? "null" : typeof p)), { code: "ERR_INVALID_ARG_TYPE" });
  };
  // root is what a path starts with before its first name: "/", "C:\", "C:" or "".
  function root(p) {
    const drive = win ? /^[A-Za-z]:/.exec(p)?.[0] ?? "" : "";
    return isSep(p[drive.length]) ? drive + sep : drive;
  }
  const rootEnd = (p) => root(p).length;
  function names(p, absolute) {
    const out = [];
    for (const part of p.split(win ? /[\\/]+/ : /\/+/)) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        if (out.length && out[out.length - 1] !== "..") out.pop();
        else if (!absolute) out.push("..");
      } else out.push(part);
    }
    return out;
  }
  const isAbsolute = (p) => { check(p); return isSep(root(p).slice(-1)); };
  function normalize(p) {
    check(p);
    if (p === "") return ".";
    const start = root(p);
    const body = names(p.slice(start.length), isSep(start.slice(-1))).join(sep);
    const end = isSep(p[p.length - 1]) && body ? sep : "";
    return start + body + end || (isSep(p[p.length - 1]) ? "." + sep : ".");
  }
  function join(...parts) {
    parts.forEach((p) => check(p));
    const joined = parts.filter(Boolean).join(sep);
    return joined ? normalize(joined) : ".";
  }
  function resolve(...parts) {
    let path = "";
    for (let i = parts.length - 1; i >= -1; i--) {
      const part = i >= 0 ? parts[i] : native.cwd();
      check(part);
      if (!part) continue;
      path = path ? part + sep + path : part;
      if (isAbsolute(part)) break;
    }
    const start = root(path);
    return start + names(path.slice(start.length), true).join(sep);
  }
  function relative(from, to) {
    check(from, "from");
    check(to, "to");
    const fold = (s) => (win ? s.toLowerCase() : s);
    from = resolve(from);
    to = resolve(to);
    if (fold(root(from)) !== fold(root(to))) return to;
    const a = names(from.slice(rootEnd(from)), true), b = names(to.slice(rootEnd(to)), true);
    let same = 0;
    while (same < a.length && same < b.length && fold(a[same]) === fold(b[same])) same++;
    return [...a.slice(same).map(() => ".."), ...b.slice(same)].join(sep);
  }
  // trimmed is where a path ends without its last separators.
  function trimmed(p) {
    let end = p.length;
    while (end > rootEnd(p) && isSep(p[end - 1])) end--;
    return end;
  }
  const nameStart = (p, end) => {
    let at = end;
    while (at > rootEnd(p) && !isSep(p[at - 1])) at--;
    return at;
  };
  function dirname(p) {
    check(p);
    let end = nameStart(p, trimmed(p));
    if (end > rootEnd(p)) end--;
    if (!win && end === 1 && p.startsWith("//") && p.length > 2) end = 2; // two slashes are a root of their own
    return p.slice(0, end) || ".";
  }
  function basename(p, suffix) {
    check(p);
    const end = trimmed(p);
    const name = p.slice(nameStart(p, end), end);
    if (suffix === p) return "";
    return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  }
  function extname(p) {
    const name = basename(p);
    const dot = name.lastIndexOf(".");
    return dot <= 0 || name === ".." ? "" : name.slice(dot);
  }
  function parse(p) {
    check(p);
    const base = basename(p), ext = extname(p), start = root(p);
    const dir = dirname(p);
    return { root: start, dir: dir === "." && !/^\.([\\/]|$)/.test(p) ? start : base === "" && start ? start : p === "." || p === ".." ? "" : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
  }
  function format(o) {
    const base = o.base || (o.name ?? "") + (o.ext ? (o.ext[0] === "." ? "" : ".") + o.ext : "");
    const dir = o.dir || o.root;
    return !dir ? base : dir === o.root ? dir + base : dir + sep + base;
  }
  return { sep, delimiter: win ? ";" : ":", isAbsolute, normalize, join, resolve, relative, dirname, basename, extname, parse, format, toNamespacedPath: (p) => p };
}
const posix = make(false), win32 = make(true);
posix.posix = win32.posix = posix;
posix.win32 = win32.win32 = win32;
module.exports = native.platform === "win32" ? win32 : posix;
