const { format, inspect } = require("inspect");
let indent = "";
const counts = new Map(), times = new Map();
const write = (level, args) => native.log(level, format(...args).replace(/^/gm, indent));
for (const [name, level] of Object.entries({ log: "info", info: "info", warn: "warn", error: "error", debug: "debug" }))
  exports[name] = (...args) => write(level, args);
exports.trace = (...args) => write("error", ["Trace: " + format(...args) + "\n" + new Error().stack.split("\n").slice(2).join("\n")]);
exports.dir = (value, options) => write("info", [inspect(value, options)]);
exports.table = (value) => write("info", [inspect(value)]);
exports.assert = (ok, ...args) => { if (!ok) write("error", ["Assertion failed" + (args.length ? ": " + format(...args) : "")]); };
exports.group = (...args) => { if (args.length) write("info", args); indent += "  "; };
exports.groupCollapsed = exports.group;
exports.groupEnd = () => { indent = indent.slice(2); };
exports.count = (label = "default") => {
  counts.set(label, (counts.get(label) ?? 0) + 1);
  write("info", [label + ": " + counts.get(label)]);
};
exports.countReset = (label = "default") => { counts.delete(label); };
exports.time = (label = "default") => { times.set(label, native.now()); };
exports.timeLog = (label = "default", ...rest) => {
  if (times.has(label)) write("info", [label + ": " + (native.now() - times.get(label)).toFixed(3) + "ms", ...rest]);
};
exports.timeEnd = (label = "default") => { exports.timeLog(label); times.delete(label); };
