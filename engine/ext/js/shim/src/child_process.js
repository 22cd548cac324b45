const EventEmitter = require("events");
const { Buffer } = require("buffer");

const environment = (env) => env && Object.entries(env).filter(([, v]) => v !== undefined).map(([k, v]) => k + "=" + v);
const request = (o, command) => ({ ...command, cwd: o.cwd === undefined ? undefined : o.cwd instanceof URL ? require("url").fileURLToPath(o.cwd) : String(o.cwd), env: environment(o.env === process.env ? undefined : o.env), input: o.input, timeout: o.timeout });
const quoted = (name, args) => [name, ...args].join(" ");
const program = (name, args, o) => (o.shell ? { command: quoted(name, args) } : { name, args: args.map(String) });
const signalled = (r) => (r.killed ? "SIGTERM" : null);
const output = (s, encoding) => (encoding === "buffer" ? Buffer.from(s) : s);

function failure(line, r) {
  const err = new Error("Command failed: " + line + "\n" + r.stderr);
  return Object.assign(err, { code: r.killed ? null : r.code, killed: r.killed, signal: signalled(r), cmd: line, stdout: r.stdout, stderr: r.stderr });
}

// The program's output comes when it has ended. It is started when its input
// has ended, or once the code that spawned it is through.
class ChildProcess extends EventEmitter {
  pid = undefined;
  exitCode = null;
  signalCode = null;
  killed = false;
  #work = null;
  #input = [];
  constructor(command, o) {
    super();
    this.stdout = stream();
    this.stderr = stream();
    const self = this;
    this.stdin = Object.assign(new EventEmitter(), {
      writable: true,
      write(chunk, encoding) {
        if (self.#work) throw new Error("the program has been started; write its input before, in one go");
        self.#input.push(Buffer.from(chunk, typeof encoding === "string" ? encoding : undefined));
        return true;
      },
      end(chunk, encoding) {
        if (chunk !== undefined && typeof chunk !== "function") this.write(chunk, encoding);
        self.#start(command, o);
      },
    });
    this.spawnargs = [command.name ?? command.command, ...(command.args ?? [])];
    this.spawnfile = this.spawnargs[0];
    if (o.signal?.aborted) queueMicrotask(() => this.#over(o.signal.reason));
    else setImmediate(() => this.#start(command, o));
    o.signal?.addEventListener("abort", () => this.kill());
  }
  #start(command, o) {
    if (this.#work || this.killed) return;
    if (this.#input.length) command = { ...command, input: Buffer.concat(this.#input) };
    try {
      this.#work = native.exec(request({ ...o, input: command.input ?? o.input }, command));
    } catch (err) {
      this.#work = { cancel() {} };
      return this.#over(err);
    }
    this.emit("spawn");
    this.#work.promise.then((r) => {
      this.stdout.finish(r.stdout);
      this.stderr.finish(r.stderr);
      this.killed ||= r.killed;
      this.exitCode = this.killed ? null : r.code;
      this.signalCode = this.killed ? "SIGTERM" : null;
      this.emit("exit", this.exitCode, this.signalCode);
      this.emit("close", this.exitCode, this.signalCode);
    }).catch((err) => this.#over(err));
  }
  #over(err) {
    this.stdout.finish("");
    this.stderr.finish("");
    if (this.killed) {
      this.signalCode = "SIGTERM";
      this.emit("exit", null, "SIGTERM");
      this.emit("close", null, "SIGTERM");
      return;
    }
    if (this.listenerCount("error")) this.emit("error", err);
    else Promise.reject(err);
    this.emit("close", -1, null);
  }
  kill() {
    if (this.exitCode !== null || this.killed) return false;
    this.killed = true;
    this.#work ? this.#work.cancel() : queueMicrotask(() => this.#over());
    return true;
  }
  ref() {}
  unref() {}
}
function stream() {
  let encoding = null;
  return Object.assign(new EventEmitter(), {
    readable: true,
    setEncoding(name) { encoding = name; return this; },
    pipe(to) { this.on("data", (d) => to.write(d)); return to; },
    resume() { return this; },
    finish(textOut) {
      if (textOut) this.emit("data", encoding ? textOut : Buffer.from(textOut));
      this.emit("end");
      this.emit("close");
    },
  });
}

function later(line, command, o, done) {
  const work = { out: "", err: "" };
  const child = new ChildProcess(command, o);
  child.stdout.on("data", (d) => { work.out += d; });
  child.stderr.on("data", (d) => { work.err += d; });
  let told = false;
  const tell = (err) => {
    if (told) return;
    told = true;
    done?.(err, output(work.out, o.encoding), output(work.err, o.encoding));
  };
  child.on("error", (err) => tell(Object.assign(err, { cmd: line, stdout: "", stderr: "" })));
  child.on("close", (code) => tell(code === 0 ? null : failure(line, { stdout: work.out, stderr: work.err, code, killed: child.killed })));
  return child;
}
const split = (args) => {
  const done = typeof args[args.length - 1] === "function" ? args.pop() : undefined;
  const list = Array.isArray(args[0]) ? args.shift() : [];
  return [list, args[0] ?? {}, done];
};
exports.exec = (command, ...rest) => {
  const [, o, done] = split(rest);
  return later(command, { command }, o, done);
};
exports.execFile = (name, ...rest) => {
  const [args, o, done] = split(rest);
  return later(quoted(name, args), program(name, args, o), o, done);
};
exports.spawn = (name, ...rest) => {
  const [args, o] = split(rest);
  return new ChildProcess(program(name, args, o), o);
};
const promised = (fn) => (...args) => {
  let child;
  const promise = new Promise((resolve, reject) => {
    child = fn(...args, (err, stdout, stderr) => (err ? reject(Object.assign(err, { stdout, stderr })) : resolve({ stdout, stderr })));
  });
  return Object.assign(promise, { child });
};
for (const name of ["exec", "execFile"]) exports[name][Symbol.for("nodejs.util.promisify.custom")] = promised(exports[name]);

function now(line, command, o) {
  const r = native.execSync(request(o, command));
  if (r.code !== 0 || r.killed) throw Object.assign(failure(line, r), { status: r.code });
  return text(r.stdout, o);
}
const text = (s, o) => (o.encoding && o.encoding !== "buffer" ? s : Buffer.from(s));
exports.execSync = (command, o = {}) => now(command, { command }, o);
exports.execFileSync = (name, ...rest) => {
  const [args, o] = split(rest);
  return now(quoted(name, args), program(name, args, o), o);
};
exports.spawnSync = (name, ...rest) => {
  const [args, o] = split(rest);
  try {
    const r = native.execSync(request(o, program(name, args, o)));
    const [stdout, stderr] = [text(r.stdout, o), text(r.stderr, o)];
    return { pid: 0, status: r.killed ? null : r.code, signal: signalled(r), stdout, stderr, output: [null, stdout, stderr] };
  } catch (error) {
    if (error.code === "ERR_ACCESS_DENIED") throw error;
    return { pid: 0, status: null, signal: null, stdout: text("", o), stderr: text("", o), output: null, error };
  }
};
exports.fork = () => { throw new Error("child_process.fork isn't available to extensions: there is no Node to run"); };
exports.ChildProcess = ChildProcess;
