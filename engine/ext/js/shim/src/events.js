class EventEmitter {
  #listeners = new Map();
  static defaultMaxListeners = 10;
  #add(name, fn, once, first) {
    if (typeof fn !== "function") throw new TypeError('The "listener" argument must be of type function');
    if (name !== "newListener" && this.#listeners.has("newListener")) this.emit("newListener", name, fn);
    const list = this.#listeners.get(name) ?? [];
    this.#listeners.set(name, first ? [{ fn, once }, ...list] : [...list, { fn, once }]);
    return this;
  }
  on(name, fn) { return this.#add(name, fn, false, false); }
  addListener(name, fn) { return this.on(name, fn); }
  once(name, fn) { return this.#add(name, fn, true, false); }
  prependListener(name, fn) { return this.#add(name, fn, false, true); }
  prependOnceListener(name, fn) { return this.#add(name, fn, true, true); }
  off(name, fn) {
    const list = this.#listeners.get(name) ?? [];
    const at = list.findLastIndex((l) => l.fn === fn);
    if (at < 0) return this;
    const rest = list.filter((_, i) => i !== at);
    rest.length ? this.#listeners.set(name, rest) : this.#listeners.delete(name);
    if (name !== "removeListener" && this.#listeners.has("removeListener")) this.emit("removeListener", name, fn);
    return this;
  }
  removeListener(name, fn) { return this.off(name, fn); }
  removeAllListeners(name) {
    name === undefined ? this.#listeners.clear() : this.#listeners.delete(name);
    return this;
  }
  emit(name, ...args) {
    const list = this.#listeners.get(name);
    if (!list) {
      if (name === "error") throw args[0] instanceof Error ? args[0] : new Error("Unhandled error. (" + args[0] + ")");
      return false;
    }
    for (const l of list) {
      if (l.once) this.off(name, l.fn);
      l.fn.apply(this, args);
    }
    return true;
  }
  listeners(name) { return (this.#listeners.get(name) ?? []).map((l) => l.fn); }
  rawListeners(name) { return this.listeners(name); }
  listenerCount(name) { return (this.#listeners.get(name) ?? []).length; }
  eventNames() { return [...this.#listeners.keys()]; }
  setMaxListeners() { return this; }
  getMaxListeners() { return EventEmitter.defaultMaxListeners; }
}
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.default = EventEmitter;
EventEmitter.once = (emitter, name, options) => new Promise((resolve, reject) => {
  const done = (...args) => { off(); resolve(args); };
  const fail = (err) => { off(); reject(err); };
  const stop = () => fail(options.signal.reason);
  const off = () => {
    emitter.off(name, done);
    emitter.off("error", fail);
    options?.signal?.removeEventListener("abort", stop);
  };
  if (options?.signal?.aborted) return reject(options.signal.reason);
  options?.signal?.addEventListener("abort", stop);
  emitter.on(name, done);
  if (name !== "error") emitter.on("error", fail);
});
module.exports = EventEmitter;
