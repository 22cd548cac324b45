const { AbortSignal } = require("eventtarget");
const wait = (value, options, start, clear) => new Promise((resolve, reject) => {
  const signal = options?.signal;
  if (signal?.aborted) return reject(signal.reason);
  const timer = start(() => {
    signal?.removeEventListener("abort", stop);
    resolve(value);
  });
  const stop = () => {
    clear(timer);
    reject(signal.reason);
  };
  signal?.addEventListener("abort", stop);
});
const timers = require("timers");
exports.setTimeout = (ms, value, options) => wait(value, options, (done) => timers.setTimeout(done, ms), timers.clearTimeout);
exports.setImmediate = (value, options) => wait(value, options, timers.setImmediate, timers.clearTimeout);
exports.scheduler = { wait: (ms, options) => exports.setTimeout(ms, undefined, options), yield: () => exports.setImmediate() };
