// What the engine lacks of the language.
globalThis.global = globalThis;
function add(object, name, value) {
  if (!(name in object)) Object.defineProperty(object, name, { value, configurable: true, writable: true });
}
add(Symbol, "asyncIterator", Symbol.for("Symbol.asyncIterator"));
add(Symbol, "dispose", Symbol.for("Symbol.dispose"));
add(Symbol, "asyncDispose", Symbol.for("Symbol.asyncDispose"));
add(Promise, "withResolvers", function () {
  let resolve, reject;
  const promise = new this((ok, no) => { resolve = ok; reject = no; });
  return { promise, resolve, reject };
});
add(Promise, "try", function (fn, ...args) { return new this((ok) => ok(fn(...args))); });
add(Object, "groupBy", (items, key) => {
  const groups = Object.create(null);
  let i = 0;
  for (const item of items) (groups[key(item, i++)] ??= []).push(item);
  return groups;
});
add(Map, "groupBy", (items, key) => {
  const groups = new Map();
  let i = 0;
  for (const item of items) {
    const k = key(item, i++);
    groups.has(k) ? groups.get(k).push(item) : groups.set(k, [item]);
  }
  return groups;
});
add(Error, "captureStackTrace", (target) => {
  Object.defineProperty(target, "stack", { value: new Error(target.message).stack, configurable: true, writable: true });
});
