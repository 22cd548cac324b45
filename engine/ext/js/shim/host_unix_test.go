//go:build unix

package shim

import "testing"

// The commands are a POSIX shell's.
func TestPrograms(t *testing.T) {
	s := open(t, all...)
	const head = `const cp = require("child_process"), { promisify } = require("util"); `
	s.rows([]row{
		{src: head + `return (await promisify(cp.exec)("echo out; echo err >&2"))`, want: `{"stdout":"out\n","stderr":"err\n"}`},
		{src: head + `return (await promisify(cp.execFile)("printf", ["%s-", "a b", "c"])).stdout`, want: "a b-c-"},
		{src: head + `try { await promisify(cp.exec)("echo x; exit 3") } catch (e) { return [e.code, e.stdout, e.cmd, e.killed] }`, want: `[3,"x\n","echo x; exit 3",false]`},
		{src: head + `try { await promisify(cp.execFile)("no-such-program") } catch (e) { return [e.code, e.path] }`, want: `["ENOENT","no-such-program"]`},
		{src: head + `return cp.execSync("echo $A", { env: { A: "1" }, encoding: "utf8" })`, want: "1\n"},
		{src: head + `return cp.execSync("cat", { input: "in" }).toString()`, want: "in"},
		{src: head + `cp.execSync("echo no >&2; exit 2")`, failure: "Command failed: echo no >&2; exit 2"},
		{src: head + `const r = cp.spawnSync("sh", ["-c", "exit 4"]); return [r.status, r.stdout.length]`, want: `[4,0]`},
		{src: head + `return cp.spawnSync("no-such-program").error.code`, want: "ENOENT"},
		{src: head + `return cp.execFileSync("pwd", { encoding: "utf8", cwd: "/" })`, want: "/\n"},
		{src: head + `return new Promise((ok) => { const p = cp.spawn("cat"); let s = ""; p.stdout.on("data", (d) => { s += d }); p.on("close", (code) => ok([s, code])); p.stdin.write("a"); p.stdin.end("b") })`, want: `["ab",0]`},
		{src: head + `return new Promise((ok) => { const p = cp.spawn("sleep", ["60"]); p.on("spawn", () => p.kill()); p.on("close", (code, signal) => ok([code, signal])) })`, want: `[null,"SIGTERM"]`},
		{src: head + `return new Promise((ok) => { const p = cp.spawn("no-such-program"); p.on("error", (e) => ok(e.code)) })`, want: "ENOENT"},
		{src: head + `try { await promisify(cp.exec)("sleep 60", { timeout: 20 }) } catch (e) { return [e.killed, e.signal] }`, want: `[true,"SIGTERM"]`},
		{src: head + `return new Promise((ok) => cp.exec("echo cb", (err, out) => ok([err, out])))`, want: `[null,"cb\n"]`},
	})
}
