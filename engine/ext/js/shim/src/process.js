const EventEmitter = require("events");
let env;
const known = () => (env ??= native.environ());
const stream = (level) => {
  let rest = "";
  return {
    isTTY: false, columns: 80, rows: 24, writable: true,
    write(chunk, encoding, done) {
      rest += typeof chunk === "string" ? chunk : native.encode(chunk, "utf8");
      const lines = rest.split("\n");
      rest = lines.pop();
      if (lines.length) native.log(level, lines.join("\n"));
      const callback = typeof encoding === "function" ? encoding : done;
      if (callback) queueMicrotask(callback);
      return true;
    },
    end(chunk) { if (chunk) this.write(chunk); if (rest) this.write("\n"); },
    on() { return this; }, once() { return this; }, off() { return this; }, removeListener() { return this; },
  };
};
const process = module.exports;
Object.assign(process, {
  // Reading without the capability throws; changes stay in the extension.
  env: new Proxy({}, {
    get: (_, name) => (typeof name === "symbol" ? undefined : known()[name]),
    set: (_, name, value) => { known()[name] = String(value); return true; },
    has: (_, name) => name in known(),
    deleteProperty: (_, name) => { delete known()[name]; return true; },
    ownKeys: () => Object.keys(known()),
    getOwnPropertyDescriptor: (_, name) => (name in known() ? { value: known()[name], enumerable: true, configurable: true, writable: true } : undefined),
  }),
  cwd: () => native.cwd(),
  chdir() { throw new Error("process.chdir isn't available to extensions: the working directory is the session's"); },
  platform: native.platform,
  arch: native.arch,
  argv: [],
  argv0: "hoopoe",
  execArgv: [],
  execPath: "",
  title: "hoopoe",
  pid: 0,
  ppid: 0,
  version: "v20.0.0", // whose library this is modelled on
  versions: { node: "20.0.0" },
  release: { name: "node" },
  exitCode: undefined,
  exit() { throw new Error("process.exit isn't available to extensions: call ctx.shutdown() to end the program"); },
  abort() { throw new Error("process.abort isn't available to extensions"); },
  kill() { throw new Error("process.kill isn't available to extensions"); },
  nextTick: (fn, ...args) => queueMicrotask(() => fn(...args)),
  hrtime: Object.assign((before) => {
    const ns = BigInt(Math.round(native.now() * 1e6)) - (before ? BigInt(before[0]) * 1000000000n + BigInt(before[1]) : 0n);
    return [Number(ns / 1000000000n), Number(ns % 1000000000n)];
  }, { bigint: () => BigInt(Math.round(native.now() * 1e6)) }),
  uptime: () => native.now() / 1000,
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  emitWarning: (w) => native.log("warn", w instanceof Error ? w.message : String(w)),
  stdout: stream("info"),
  stderr: stream("error"),
  stdin: { isTTY: false, on() { return this; }, once() { return this; }, off() { return this; }, resume() { return this; }, pause() { return this; }, setEncoding() { return this; } },
});
// There are no process events to hear of.
for (const name of ["on", "once", "off", "addListener", "removeListener", "removeAllListeners", "prependListener"]) process[name] = () => process;
process.emit = () => false;
process.listeners = () => [];
process.listenerCount = () => 0;
