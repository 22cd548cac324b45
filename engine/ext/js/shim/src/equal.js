// deep compares as Node's assert does; loosely unless strict.
exports.deep = function deep(a, b, strict, seen = []) {
  if (Object.is(a, b) || (!strict && a == b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (seen.some(([x, y]) => x === a && y === b)) return true;
  seen = [...seen, [a, b]];
  const same = (x, y) => deep(x, y, strict, seen);
  if (a instanceof Date || a instanceof Number || a instanceof String || a instanceof Boolean) return a.constructor === b.constructor && Object.is(a.valueOf(), b.valueOf());
  if (a instanceof RegExp) return b instanceof RegExp && String(a) === String(b);
  if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
  if (a instanceof Map) return b instanceof Map && a.size === b.size && [...a].every(([k, v]) => b.has(k) && same(v, b.get(k)));
  if (a instanceof Set) return b instanceof Set && a.size === b.size && [...a].every((v) => b.has(v) || [...b].some((w) => same(v, w)));
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]));
};
