// Value checks against the part of JSON Schema that TypeBox makes.
const { deep } = require("equal");
const typeOf = (v) => (v === null ? "null" : Array.isArray(v) ? "array" : typeof v);
const within = (n, low, high, what, path) => (low !== undefined && n < low ? [{ path, message: "Expected " + what + " of at least " + low }] : high !== undefined && n > high ? [{ path, message: "Expected " + what + " of at most " + high }] : []);

function errors(s, v, path = "") {
  const bad = (message) => [{ path, message, value: v }];
  const out = [];
  if (s === true || s === undefined) return out;
  if (s === false || (s.not && !errors(s.not, v).length)) return bad("Unexpected value");
  const type = typeOf(v);
  if (s.type && ![].concat(s.type).some((t) => t === type || (t === "integer" && Number.isInteger(v)) || (t === "undefined" && v === undefined))) return bad("Expected " + [].concat(s.type).join(" or "));
  if ("const" in s && !deep(s.const, v, true)) return bad("Expected " + JSON.stringify(s.const));
  if (s.enum && !s.enum.some((e) => deep(e, v, true))) return bad("Expected one of " + JSON.stringify(s.enum));
  if (s.anyOf && !s.anyOf.some((o) => !errors(o, v, path).length)) return bad("Expected union value");
  if (s.oneOf && s.oneOf.filter((o) => !errors(o, v, path).length).length !== 1) return bad("Expected exactly one of the alternatives");
  for (const part of s.allOf ?? []) out.push(...errors(part, v, path));
  if (type === "string") {
    out.push(...within([...v].length, s.minLength, s.maxLength, "a length", path));
    if (s.pattern && !new RegExp(s.pattern).test(v)) out.push(...bad("Expected string to match " + s.pattern));
  } else if (type === "number") {
    out.push(...within(v, s.minimum, s.maximum, "a number", path));
    if (v <= s.exclusiveMinimum || v >= s.exclusiveMaximum) out.push(...bad("Expected a number within exclusive bounds"));
    if (s.multipleOf && Math.abs(v / s.multipleOf - Math.round(v / s.multipleOf)) > 1e-9) out.push(...bad("Expected a multiple of " + s.multipleOf));
  } else if (type === "array") {
    out.push(...within(v.length, s.minItems, s.maxItems, "a number of items", path));
    if (s.uniqueItems && v.some((a, i) => v.slice(0, i).some((b) => deep(a, b, true)))) out.push(...bad("Expected unique items"));
    v.forEach((e, i) => out.push(...errors(Array.isArray(s.items) ? s.items[i] : s.items, e, path + "/" + i)));
  } else if (type === "object") {
    for (const k of s.required ?? []) if (!(k in v)) out.push({ path: path + "/" + k, message: "Expected required property", value: undefined });
    for (const [k, e] of Object.entries(v)) {
      const patterns = Object.entries(s.patternProperties ?? {}).filter(([p]) => new RegExp(p).test(k));
      if (s.properties && Object.hasOwn(s.properties, k)) { if (e !== undefined || s.required?.includes(k)) out.push(...errors(s.properties[k], e, path + "/" + k)); }
      else if (patterns.length) for (const [, p] of patterns) out.push(...errors(p, e, path + "/" + k));
      else if (s.additionalProperties !== undefined) out.push(...errors(s.additionalProperties, e, path + "/" + k));
    }
  }
  return out;
}
function withDefaults(s, v) {
  if (v === undefined && "default" in s) return structuredClone(s.default);
  if (s.properties && typeOf(v) === "object") for (const [k, p] of Object.entries(s.properties)) {
    const e = withDefaults(p, v[k]);
    if (e !== undefined) v[k] = e;
  }
  return v;
}
const Value = {
  Check: (schema, value) => errors(schema, value).length === 0,
  Errors: (schema, value) => Object.assign(errors(schema, value), { First() { return this[0]; } }),
  Default: withDefaults,
  Clone: (value) => structuredClone(value),
  Equal: (a, b) => deep(a, b, true),
  Assert(schema, value) { Value.Parse(schema, value); },
  Parse(schema, value) {
    const first = errors(schema, value)[0];
    if (first) throw Object.assign(new Error(first.message + (first.path && " at " + first.path)), first);
    return value;
  },
  Decode: (schema, value) => Value.Parse(schema, value),
};
Object.assign(exports, Value, { Value });
