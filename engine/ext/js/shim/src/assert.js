const { inspect } = require("inspect");
const { deep } = require("equal");
class AssertionError extends Error {
  constructor({ message, actual, expected, operator }) {
    super(message);
    Object.assign(this, { name: "AssertionError", code: "ERR_ASSERTION", actual, expected, operator, generatedMessage: false });
  }
}
function check(ok, message, actual, expected, operator, words) {
  if (ok) return;
  if (message instanceof Error) throw message;
  throw new AssertionError({ message: message ?? inspect(actual) + " " + words + " " + inspect(expected), actual, expected, operator });
}
const assert = (value, message) => check(value, message ?? "The expression evaluated to a falsy value", value, true, "==", "");
const matches = (err, wanted) => {
  if (wanted === undefined || typeof wanted === "string") return true;
  if (wanted instanceof RegExp) return wanted.test(String(err));
  if (typeof wanted === "function") return wanted.prototype !== undefined && err instanceof wanted ? true : Error.isPrototypeOf(wanted) || wanted === Error ? false : wanted(err) === true;
  return Object.entries(wanted).every(([k, v]) => (v instanceof RegExp && typeof err[k] === "string" ? v.test(err[k]) : deep(err[k], v, true)));
};
const missing = (message) => { throw new AssertionError({ message: message ?? "Missing expected exception.", operator: "throws" }); };
Object.assign(assert, {
  ok: assert,
  equal: (a, b, m) => check(a == b || (a !== a && b !== b), m, a, b, "==", "=="),
  notEqual: (a, b, m) => check(a != b, m, a, b, "!=", "!="),
  strictEqual: (a, b, m) => check(Object.is(a, b), m, a, b, "strictEqual", "is not"),
  notStrictEqual: (a, b, m) => check(!Object.is(a, b), m, a, b, "notStrictEqual", "is"),
  deepEqual: (a, b, m) => check(deep(a, b, false), m, a, b, "deepEqual", "doesn't equal"),
  deepStrictEqual: (a, b, m) => check(deep(a, b, true), m, a, b, "deepStrictEqual", "doesn't equal"),
  notDeepEqual: (a, b, m) => check(!deep(a, b, false), m, a, b, "notDeepEqual", "equals"),
  notDeepStrictEqual: (a, b, m) => check(!deep(a, b, true), m, a, b, "notDeepStrictEqual", "equals"),
  match: (s, re, m) => check(re.test(s), m, s, re, "match", "doesn't match"),
  doesNotMatch: (s, re, m) => check(!re.test(s), m, s, re, "doesNotMatch", "matches"),
  fail: (m = "Failed") => check(false, m),
  ifError: (err) => { if (err !== null && err !== undefined) throw err; },
  throws(fn, wanted, message) {
    let err;
    try { fn(); } catch (e) { err = { e }; }
    if (!err) missing(typeof wanted === "string" ? wanted : message);
    if (!matches(err.e, wanted)) missing((typeof message === "string" ? message : "The error is another one than expected") + ": " + inspect(err.e));
  },
  doesNotThrow: (fn) => fn(),
  async rejects(work, wanted, message) {
    let err;
    try { await (typeof work === "function" ? work() : work); } catch (e) { err = { e }; }
    if (!err) missing(message);
    if (!matches(err.e, wanted)) missing((typeof message === "string" ? message : "The error is another one than expected") + ": " + inspect(err.e));
  },
  async doesNotReject(work) { await (typeof work === "function" ? work() : work); },
  AssertionError,
});
assert.strict = Object.assign((v, m) => assert(v, m), assert, { equal: assert.strictEqual, deepEqual: assert.deepStrictEqual, notEqual: assert.notStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
module.exports = assert;
