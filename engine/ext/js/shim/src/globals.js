// The globals. Each module is evaluated when one of its names is first used.
const lazy = {
  timers: ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate", "queueMicrotask"],
  url: ["URL", "URLSearchParams"],
  encoding: ["TextEncoder", "TextDecoder"],
  eventtarget: ["Event", "CustomEvent", "EventTarget", "AbortController", "AbortSignal", "DOMException"],
  clone: ["structuredClone"],
  buffer: ["Buffer", "atob", "btoa"],
  fetch: ["fetch", "Headers", "Request", "Response"],
  perf_hooks: ["performance"],
};
const whole = { console: "console", process: "process" };

function define(name, get) {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: false,
    get() {
      const value = get();
      set(value);
      return value;
    },
    set,
  });
  function set(value) {
    Object.defineProperty(globalThis, name, { value, configurable: true, enumerable: false, writable: true });
  }
}
for (const file of Object.keys(lazy)) for (const name of lazy[file]) define(name, () => require(file)[name]);
for (const name of Object.keys(whole)) define(name, () => require(whole[name]));
define("crypto", () => require("crypto").webcrypto);
globalThis.global = globalThis;

// What the engine lacks of the language.
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
// Without the collector's help: what it refers to lives as long as it does.
add(globalThis, "WeakRef", class WeakRef {
  #target;
  constructor(target) { this.#target = target; }
  deref() { return this.#target; }
});
add(globalThis, "FinalizationRegistry", class FinalizationRegistry {
  register() {}
  unregister() { return false; }
});
