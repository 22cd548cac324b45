class DOMException extends Error {
  #name;
  constructor(message = "", name = "Error") {
    super(message);
    this.#name = typeof name === "object" ? name?.name ?? "Error" : String(name);
    if (typeof name === "object" && name && "cause" in name) this.cause = name.cause;
  }
  get name() { return this.#name; }
  get code() { return { AbortError: 20, TimeoutError: 23, DataCloneError: 25, InvalidCharacterError: 5 }[this.#name] ?? 0; }
}

class Event {
  constructor(type, init = {}) {
    this.type = String(type);
    this.bubbles = !!init.bubbles;
    this.cancelable = !!init.cancelable;
    this.defaultPrevented = false;
    this.target = this.currentTarget = null;
    this.timeStamp = native.now();
  }
  preventDefault() { if (this.cancelable) this.defaultPrevented = true; }
  stopPropagation() {}
  stopImmediatePropagation() { this.stopped = true; }
}
class CustomEvent extends Event {
  constructor(type, init = {}) {
    super(type, init);
    this.detail = init.detail ?? null;
  }
}

class EventTarget {
  #listeners = new Map();
  addEventListener(type, fn, options) {
    if (fn === null || fn === undefined) return;
    const o = typeof options === "object" && options ? options : {};
    if (o.signal?.aborted) return;
    const list = this.#listeners.get(type) ?? [];
    if (list.some((l) => l.fn === fn)) return;
    this.#listeners.set(type, [...list, { fn, once: !!o.once }]);
    o.signal?.addEventListener("abort", () => this.removeEventListener(type, fn));
  }
  removeEventListener(type, fn) {
    this.#listeners.set(type, (this.#listeners.get(type) ?? []).filter((l) => l.fn !== fn));
  }
  dispatchEvent(event) {
    event.target = event.currentTarget = this;
    const own = this["on" + event.type];
    const all = this.#listeners.get(event.type) ?? [];
    for (const l of typeof own === "function" ? [...all, { fn: own }] : all) {
      if (l.once) this.removeEventListener(event.type, l.fn);
      try {
        typeof l.fn === "function" ? l.fn.call(this, event) : l.fn.handleEvent(event);
      } catch (err) {
        Promise.reject(err); // the next listener runs, and the error is told
      }
      if (event.stopped) break;
    }
    return !event.defaultPrevented;
  }
}

const inside = Symbol("inside");
class AbortSignal extends EventTarget {
  aborted = false;
  reason = undefined;
  onabort = null;
  constructor(key) {
    if (key !== inside) throw Object.assign(new TypeError("Illegal constructor"), { code: "ERR_ILLEGAL_CONSTRUCTOR" });
    super();
  }
  throwIfAborted() { if (this.aborted) throw this.reason; }
  static abort(reason) {
    const signal = new AbortSignal(inside);
    fire(signal, reason);
    return signal;
  }
  static timeout(ms) {
    const signal = new AbortSignal(inside);
    require("timers").setTimeout(() => fire(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")), ms);
    return signal;
  }
  static any(signals) {
    const all = [...signals], signal = new AbortSignal(inside);
    const first = all.find((s) => s.aborted);
    if (first) fire(signal, first.reason);
    else for (const s of all) s.addEventListener("abort", () => fire(signal, s.reason), { once: true });
    return signal;
  }
}
function fire(signal, reason) {
  if (signal.aborted) return;
  signal.aborted = true;
  signal.reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
  signal.dispatchEvent(new Event("abort"));
}
class AbortController {
  signal = new AbortSignal(inside);
  abort(reason) { fire(this.signal, reason); }
}
Object.assign(exports, { DOMException, Event, CustomEvent, EventTarget, AbortController, AbortSignal });
