exports.performance = { now: () => native.now(), timeOrigin: Date.now() - native.now(), mark() {}, measure() {}, toJSON() { return { timeOrigin: this.timeOrigin }; } };
