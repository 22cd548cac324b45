// Values as people read them, in the manner of Node's util.inspect.
const custom = Symbol.for("nodejs.util.inspect.custom");
const word = /^[A-Za-z_$][\w$]*$/;
const maxLength = 20000, maxItems = 100;

function quote(s) {
  const q = !s.includes("'") ? "'" : !s.includes('"') ? '"' : !s.includes("`") ? "`" : "'";
  const escapes = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\\": "\\\\", [q]: "\\" + q };
  return q + s.replace(/[\x00-\x1f\x7f'"`\\]/g, (c) => escapes[c] ?? (c === "'" || c === '"' || c === "`" ? c : "\\x" + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0"))) + q;
}

function primitive(v) {
  if (typeof v === "string") return quote(v);
  if (typeof v === "bigint") return v + "n";
  if (Object.is(v, -0)) return "-0";
  return String(v);
}

function nameOf(v) {
  for (let p = v; p; p = Object.getPrototypeOf(p)) {
    const c = Object.getOwnPropertyDescriptor(p, "constructor");
    if (c && typeof c.value === "function" && c.value.name) return c.value.name;
  }
  return null;
}

function inspect(value, options) {
  const o = { depth: 2, breakLength: 80, ...(typeof options === "object" ? options : {}) };
  if (o.depth === null) o.depth = Infinity;
  const depth = Math.min(o.depth, 20);
  const seen = [], circular = new Map();
  let left = maxLength;

  function property(v, key, level) {
    const d = Object.getOwnPropertyDescriptor(v, key);
    const name = typeof key === "symbol" ? "[" + String(key) + "]" : word.test(key) ? key : quote(key);
    if (d && (d.get || d.set)) return name + ": " + (d.get ? (d.set ? "[Getter/Setter]" : "[Getter]") : "[Setter]");
    return name + ": " + any(d ? d.value : v[key], level + 1);
  }
  function list(items, write) {
    const out = [];
    let n = 0;
    for (const item of items) {
      if (n === maxItems || left <= 0) {
        out.push("... more items");
        break;
      }
      n++;
      out.push(write(item));
    }
    return out;
  }
  function any(v, level) {
    if ((typeof v !== "object" && typeof v !== "function") || v === null) {
      const text = primitive(v);
      left -= text.length;
      return left < 0 ? text.slice(0, 100) + "..." : text;
    }
    if (seen.includes(v)) {
      if (!circular.has(v)) circular.set(v, circular.size + 1);
      return "[Circular *" + circular.get(v) + "]";
    }
    if (typeof v[custom] === "function") {
      const text = v[custom](depth - level, o, inspect);
      return typeof text === "string" ? text : any(text, level);
    }
    seen.push(v);
    try {
      const text = object(v, level);
      return circular.has(v) ? "<ref *" + circular.get(v) + "> " + text : text;
    } finally {
      seen.pop();
    }
  }
  function object(v, level) {
    const name = nameOf(v);
    let keys = Object.keys(v);
    let prefix = name === null ? "[Object: null prototype] " : name === "Object" ? "" : name + " ";
    let open = "{", close = "}", items = [];
    if (typeof v === "function") {
      const isClass = /^class\b/.test(Function.prototype.toString.call(v));
      prefix = isClass ? "[class " + (v.name || "(anonymous)") + "]" : "[" + (name ?? "Function") + (v.name ? ": " + v.name : " (anonymous)") + "]";
      if (!keys.length) return prefix;
      prefix += " ";
    } else if (v instanceof Error) {
      const head = (v.name ?? "Error") + (v.message ? ": " + v.message : "");
      const stack = typeof v.stack === "string" && v.stack ? v.stack.trimEnd() : "";
      prefix = stack.startsWith(head) ? stack : head + (stack.includes("\n") ? stack.slice(stack.indexOf("\n")) : "");
      keys = keys.filter((k) => k !== "stack" && k !== "message" && k !== "name");
      if (v.cause !== undefined) items.push("[cause]: " + any(v.cause, level + 1));
      if (!keys.length && !items.length) return stack ? prefix : "[" + prefix + "]";
      prefix += " ";
    } else if (v instanceof Date) return isNaN(v) ? "Invalid Date" : v.toISOString();
    else if (v instanceof RegExp) return String(v);
    else if (v instanceof Promise) return "Promise { <pending or settled> }";
    else if (v instanceof String || v instanceof Number || v instanceof Boolean) return "[" + name + ": " + primitive(v.valueOf()) + "]";
    if (level > depth) return Array.isArray(v) ? "[Array]" : "[" + (name ?? "Object: null prototype") + "]";
    if (Array.isArray(v)) {
      prefix = name === "Array" ? "" : name + "(" + v.length + ") ";
      [open, close] = ["[", "]"];
      items = list(v, (e) => any(e, level + 1));
      keys = keys.filter((k) => !/^\d+$/.test(k));
    } else if (ArrayBuffer.isView(v) && v.length !== undefined) {
      prefix = name + "(" + v.length + ") ";
      [open, close] = ["[", "]"];
      items = list(v, String);
      keys = [];
    } else if (v instanceof ArrayBuffer) {
      items = ["byteLength: " + v.byteLength];
    } else if (v instanceof Map) {
      prefix = "Map(" + v.size + ") ";
      items = list(v, ([k, e]) => any(k, level + 1) + " => " + any(e, level + 1));
    } else if (v instanceof Set) {
      prefix = "Set(" + v.size + ") ";
      items = list(v, (e) => any(e, level + 1));
    }
    const symbols = Object.getOwnPropertySymbols(v).filter((s) => Object.prototype.propertyIsEnumerable.call(v, s));
    items.push(...list([...keys, ...symbols], (k) => property(v, k, level)));
    if (!items.length) return prefix + open + close;
    const line = items.join(", ");
    if (line.length + prefix.length + level * 2 <= Math.min(o.breakLength, 76) && !line.includes("\n"))
      return prefix + open + " " + line + " " + close;
    const pad = "  ".repeat(level + 1);
    return prefix + open + "\n" + pad + items.join(",\n" + pad) + "\n" + "  ".repeat(level) + close;
  }
  return any(value, 0);
}
inspect.custom = custom;

function format(first, ...rest) {
  let out = "";
  if (typeof first === "string" && !rest.length) return first;
  if (typeof first === "string") {
    out = first.replace(/%[sdifjoOc%]/g, (spec) => {
      if (spec === "%%") return "%";
      if (!rest.length) return spec;
      const v = rest.shift();
      switch (spec) {
        case "%s": return typeof v === "string" ? v : typeof v === "object" && v !== null ? inspect(v, { depth: 0 }) : primitive(v);
        case "%d": return typeof v === "object" ? "NaN" : typeof v === "bigint" ? v + "n" : String(Number(v));
        case "%i": return typeof v === "object" ? "NaN" : String(parseInt(v, 10));
        case "%f": return String(parseFloat(v));
        case "%j": try { return JSON.stringify(v); } catch { return "[Circular]"; }
        case "%c": return "";
        default: return inspect(v, { depth: 4 });
      }
    });
  } else if (arguments.length) out = inspect(first);
  for (const v of rest) out += " " + (typeof v === "string" ? v : inspect(v));
  return out;
}
exports.inspect = inspect;
exports.format = format;
