const { inspect, format } = require("inspect");
const customPromisify = Symbol.for("nodejs.util.promisify.custom");
function promisify(fn) {
  if (typeof fn !== "function") throw new TypeError('The "original" argument must be of type function');
  if (fn[customPromisify]) return fn[customPromisify];
  return function (...args) {
    return new Promise((resolve, reject) => fn.call(this, ...args, (err, value) => (err ? reject(err) : resolve(value))));
  };
}
promisify.custom = customPromisify;
const is = (name) => (v) => Object.prototype.toString.call(v) === "[object " + name + "]";
const seen = new Set();
const styles = { reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39] };
Object.assign(exports, {
  inspect, format, promisify,
  callbackify: (fn) => (...args) => { const done = args.pop(); fn(...args).then((v) => done(null, v), (err) => done(err)); },
  deprecate: (fn, message) => (...args) => {
    if (!seen.has(message)) native.log("warn", "DeprecationWarning: " + message);
    seen.add(message);
    return fn(...args);
  },
  inherits: (ctor, base) => { Object.setPrototypeOf(ctor.prototype, base.prototype); ctor.super_ = base; },
  isDeepStrictEqual: (a, b) => require("equal").deep(a, b, true),
  stripVTControlCharacters: (s) => s.replace(/\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g, ""),
  styleText: (style, s) => [].concat(style).reduceRight((t, name) => {
    if (!styles[name]) throw new TypeError("unknown style " + name);
    return "\x1b[" + styles[name][0] + "m" + t + "\x1b[" + styles[name][1] + "m";
  }, s),
  debuglog: () => () => {},
  types: {
    isPromise: (v) => v instanceof Promise, isDate: is("Date"), isRegExp: is("RegExp"), isMap: is("Map"), isSet: is("Set"),
    isNativeError: (v) => v instanceof Error, isArrayBuffer: (v) => v instanceof ArrayBuffer, isTypedArray: (v) => ArrayBuffer.isView(v) && !(v instanceof DataView),
    isUint8Array: (v) => v instanceof Uint8Array, isAsyncFunction: is("AsyncFunction"), isGeneratorFunction: is("GeneratorFunction"),
  },
});
exports.TextEncoder = TextEncoder;
exports.TextDecoder = TextDecoder;
