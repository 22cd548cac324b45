// Stands where RpcClient expects a program in JavaScript: it runs the binary
// with the same streams and hands on the signal that stops it.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

const server = spawn(process.env.HOOPOE_BIN, process.argv.slice(2), { stdio: 'inherit' })
if (process.env.INTEROP_PIDS) appendFileSync(process.env.INTEROP_PIDS, `${server.pid}\n`)
process.on('SIGTERM', () => server.kill('SIGTERM'))
server.on('exit', (code, signal) => process.exit(signal ? 1 : code))
