class Timeout {
  constructor(fn, ms, repeat, args) {
    if (typeof fn !== "function") throw new TypeError("The callback must be a function");
    this.start = () => { this.id = native.setTimer(fn, ms === null ? null : +ms, repeat, ...args); };
    this.start();
  }
  ref() { return this; }
  unref() { return this; }
  hasRef() { return true; }
  refresh() {
    native.clearTimer(this.id);
    this.start();
    return this;
  }
  close() { native.clearTimer(this.id); return this; }
  [Symbol.toPrimitive]() { return this.id; }
}
function clear(timer) {
  if (timer === undefined || timer === null) return;
  native.clearTimer(typeof timer === "object" ? timer.id : +timer);
}
exports.setTimeout = (fn, ms, ...args) => new Timeout(fn, ms ?? 0, false, args);
exports.setInterval = (fn, ms, ...args) => new Timeout(fn, ms ?? 0, true, args);
exports.setImmediate = (fn, ...args) => new Timeout(fn, null, false, args);
exports.clearTimeout = exports.clearInterval = exports.clearImmediate = clear;
exports.queueMicrotask = (fn) => {
  if (typeof fn !== "function") throw new TypeError("The callback must be a function");
  Promise.resolve().then(fn);
};
