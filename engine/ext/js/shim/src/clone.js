const { DOMException } = require("eventtarget");
const errors = { Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };
exports.structuredClone = function structuredClone(value, options) {
  if (arguments.length === 0) throw new TypeError("The value is missing");
  const seen = new Map();
  const refuse = (v) => { throw new DOMException((typeof v === "symbol" ? String(v) : typeof v === "function" ? "function " + v.name : "#<" + (v.constructor?.name ?? "Object") + ">") + " could not be cloned.", "DataCloneError"); };
  function copy(v) {
    if (typeof v === "function" || typeof v === "symbol") refuse(v);
    if (typeof v !== "object" || v === null) return v;
    if (seen.has(v)) return seen.get(v);
    const note = (made) => { seen.set(v, made); return made; };
    if (v instanceof Date) return note(new Date(v.getTime()));
    if (v instanceof RegExp) return note(new RegExp(v.source, v.flags));
    if (v instanceof Boolean || v instanceof Number || v instanceof String) return note(Object(v.valueOf()));
    if (v instanceof ArrayBuffer) return note(v.slice(0));
    if (ArrayBuffer.isView(v)) {
      const buffer = copy(v.buffer);
      const kind = v instanceof Uint8Array ? Uint8Array : v.constructor;
      return note(new kind(buffer, v.byteOffset, v instanceof DataView ? v.byteLength : v.length));
    }
    if (v instanceof Map) {
      const made = note(new Map());
      for (const [k, e] of v) made.set(copy(k), copy(e));
      return made;
    }
    if (v instanceof Set) {
      const made = note(new Set());
      for (const e of v) made.add(copy(e));
      return made;
    }
    if (v instanceof Error) {
      const made = note(new (errors[v.name] ?? Error)(v.message));
      if (v.stack !== undefined) made.stack = v.stack;
      if ("cause" in v) made.cause = copy(v.cause);
      return made;
    }
    if (v instanceof Promise || v instanceof WeakMap || v instanceof WeakSet) refuse(v);
    const made = note(Array.isArray(v) ? new Array(v.length) : {});
    for (const k of Object.keys(v)) made[k] = copy(v[k]);
    return made;
  }
  return copy(value);
};
