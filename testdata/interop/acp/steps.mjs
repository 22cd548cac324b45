// What the scripts share: a place to work in, the agent as a process, and steps
// that are printed.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export const bin = process.env.HOOPOE_BIN
if (!bin) {
  console.error('HOOPOE_BIN has to name the binary')
  process.exit(2)
}

// beside is the path of a file of this folder.
export const beside = name => fileURLToPath(new URL(name, import.meta.url))

export const command = [bin, 'acp', '--model', `script/${beside('model.script')}`]

// guard ends what hangs; nothing is measured by it.
const guard = 60_000

// newPlace makes a working folder and a home, which go with the process.
export function newPlace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hoopoe-acp-')))
  process.on('exit', () => rmSync(root, { recursive: true, force: true }))
  const place = { work: join(root, 'work'), home: join(root, 'home') }
  for (const folder of Object.values(place)) mkdirSync(folder)
  for (const name of Object.keys(process.env)) {
    if (/^(HOOPOE_(?!BIN$)|XDG_)|_API_KEY$/.test(name)) delete process.env[name]
  }
  Object.assign(process.env, { HOME: place.home, HOOPOE_DIR: place.home, HOOPOE_OFFLINE: '1' })
  return place
}

// start runs the agent away from the folder that sessions are about. end closes
// its input and gives its exit code.
export function start() {
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], cwd: tmpdir() })
  const exit = new Promise(resolve => child.on('exit', code => resolve(code)))
  return {
    input: Writable.toWeb(child.stdin), output: Readable.toWeb(child.stdout), stdin: child.stdin, stdout: child.stdout,
    end: () => { child.stdin.end(); return exit },
  }
}

// step runs one check and prints its name; a failure ends the script.
export async function step(name, check) {
  let timer
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`no end after ${guard / 1000} s`)), guard) })
  try {
    await Promise.race([check(), late])
    console.log(`ok    ${name}`)
  } catch (err) {
    console.log(`FAIL  ${name}\n${err.stack ?? err}`)
    process.exit(1)
  } finally {
    clearTimeout(timer)
  }
}

// kinds counts the updates of each kind.
export function kinds(updates) {
  const counts = {}
  for (const u of updates) counts[u.sessionUpdate] = (counts[u.sessionUpdate] ?? 0) + 1
  return counts
}

export const said = updates => updates.filter(u => u.sessionUpdate === 'agent_message_chunk').map(u => u.content.text).join('')
