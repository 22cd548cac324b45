// Schemas as TypeBox makes them: plain JSON Schema, with what isn't part of it
// under symbols that don't serialise.
const kind = Symbol.for("TypeBox.Kind"), optional = Symbol.for("TypeBox.Optional"), readonly = Symbol.for("TypeBox.Readonly");

function mark(schema, symbol, value) {
  Object.defineProperty(schema, symbol, { value, enumerable: false, configurable: true, writable: true });
  return schema;
}
function make(name, schema, options) { return mark({ ...schema, ...options }, kind, name); }
function copy(schema, changes) {
  const made = { ...schema, ...changes };
  for (const symbol of [kind, optional, readonly]) if (schema[symbol] !== undefined) mark(made, symbol, schema[symbol]);
  return made;
}
function object(properties, options) {
  const required = Object.keys(properties).filter((k) => !properties[k][optional]);
  return make("Object", required.length ? { type: "object", properties, required } : { type: "object", properties }, options);
}
const rest = (schema) => {
  const { type, properties, required, $id, ...more } = schema;
  return more;
};
const map = (schema, fn, options) => object(Object.fromEntries(Object.entries(schema.properties ?? {}).map(fn).filter(Boolean)), { ...rest(schema), ...options });
const unset = (schema, symbol) => {
  const made = copy(schema);
  delete made[symbol];
  return made;
};
const keysOf = (keys) => (Array.isArray(keys) ? keys : keys.anyOf ? keys.anyOf.map((k) => k.const) : keys.const !== undefined ? [keys.const] : Object.keys(keys.properties ?? {}));
const simple = (name, type) => (options) => make(name, { type }, options);

const Type = {
  String: simple("String", "string"),
  Number: simple("Number", "number"),
  Integer: simple("Integer", "integer"),
  Boolean: simple("Boolean", "boolean"),
  Null: simple("Null", "null"),
  Any: (options) => make("Any", {}, options),
  Unknown: (options) => make("Unknown", {}, options),
  Never: (options) => make("Never", { not: {} }, options),
  Undefined: simple("Undefined", "undefined"),
  Void: simple("Void", "void"),
  BigInt: simple("BigInt", "bigint"),
  Date: simple("Date", "Date"),
  Object: object,
  Array: (items, options) => make("Array", { type: "array", items }, options),
  Tuple: (items, options) => make("Tuple", items.length
    ? { type: "array", items, additionalItems: false, minItems: items.length, maxItems: items.length }
    : { type: "array", minItems: 0, maxItems: 0 }, options),
  Union: (anyOf, options) => (anyOf.length === 0 ? Type.Never(options) : anyOf.length === 1 ? copy(anyOf[0], options) : make("Union", { anyOf }, options)),
  Intersect: (allOf, options) => (allOf.length === 0 ? Type.Never(options) : allOf.length === 1 ? copy(allOf[0], options)
    : make("Intersect", allOf.every((s) => s.type === "object") ? { type: "object", allOf } : { allOf }, options)),
  Literal: (value, options) => make("Literal", { const: value, type: value === null ? "null" : typeof value }, options),
  Const: (value, options) => (Array.isArray(value) ? Type.Tuple(value.map((v) => Type.Const(v)), options)
    : value !== null && typeof value === "object" ? object(Object.fromEntries(Object.entries(value).map(([k, v]) => [k, Type.Const(v)])), options)
    : Type.Literal(value, options)),
  Enum: (values, options) => {
    const list = Array.isArray(values) ? values : Object.keys(values).filter((k) => isNaN(k)).map((k) => values[k]);
    return Type.Union([...new Set(list)].map((v) => Type.Literal(v)), options);
  },
  Record: (key, value, options) => {
    if (key.anyOf?.every((k) => k.const !== undefined)) return object(Object.fromEntries(key.anyOf.map((k) => [k.const, value])), options);
    if (key.const !== undefined) return object({ [key.const]: value }, options);
    const pattern = key.pattern ?? (key.type === "number" || key.type === "integer" ? "^(0|[1-9][0-9]*)$" : "^(.*)$");
    return make("Record", { type: "object", patternProperties: { [pattern]: value } }, options);
  },
  Optional: (schema, on = true) => (on ? mark(copy(schema), optional, "Optional") : unset(schema, optional)),
  Readonly: (schema, on = true) => (on ? mark(copy(schema), readonly, "Readonly") : unset(schema, readonly)),
  ReadonlyOptional: (schema) => Type.Readonly(Type.Optional(schema)),
  Unsafe: (schema = {}) => make(schema[kind] ?? "Unsafe", schema),
  Partial: (schema, options) => map(schema, ([k, s]) => [k, Type.Optional(s)], options),
  Required: (schema, options) => map(schema, ([k, s]) => [k, unset(s, optional)], options),
  Pick: (schema, keys, options) => map(schema, ([k, s]) => keysOf(keys).includes(k) && [k, s], options),
  Omit: (schema, keys, options) => map(schema, ([k, s]) => !keysOf(keys).includes(k) && [k, s], options),
  Composite: (schemas, options) => object(Object.assign({}, ...schemas.map((s) => s.properties ?? Object.assign({}, ...(s.allOf ?? []).map((p) => p.properties)))), options),
  KeyOf: (schema, options) => Type.Union(Object.keys(schema.properties ?? {}).map((k) => Type.Literal(k)), options),
  Index: (schema, keys, options) => Type.Union(keysOf(keys).map((k) => schema.properties[k]), options),
  Not: (not, options) => make("Not", { not }, options),
  RegExp: (pattern, options) => make("String", { type: "string", pattern: pattern.source ?? pattern }, options),
  Ref: (ref, options) => make("Ref", { $ref: typeof ref === "string" ? ref : ref.$id }, options),
  TemplateLiteral: (pattern, options) => make("TemplateLiteral", { type: "string", pattern: String(pattern) }, options),
};
Object.assign(exports, Type, { Type, Kind: kind, OptionalKind: optional, ReadonlyKind: readonly, default: Type });
