// Without the collector's help: what it refers to lives as long as it does.
exports.WeakRef = class WeakRef {
  #target;
  constructor(target) { this.#target = target; }
  deref() { return this.#target; }
};
exports.FinalizationRegistry = class FinalizationRegistry {
  register() {}
  unregister() { return false; }
};
