// What the three scripts share: a place to work in, the steps and their
// printing, and waiting for what a client tells.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'

export const bin = process.env.HOOPOE_BIN
if (!bin) {
  console.error('HOOPOE_BIN has to name the binary')
  process.exit(2)
}

// beside is the path of a file of this folder.
export const beside = name => fileURLToPath(new URL(name, import.meta.url))

export const model = beside('model.script')

// guard ends what hangs; nothing is measured by it.
const guard = 60_000

// newPlace makes a working folder, a home and the folder that a host calls its
// own, and tells the binary of them. They are removed when the process ends.
export function newPlace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hoopoe-interop-')))
  process.on('exit', () => rmSync(root, { recursive: true, force: true }))
  const place = { work: join(root, 'work'), home: join(root, 'home'), agent: join(root, 'agent'), bin: join(root, 'bin') }
  for (const folder of Object.values(place)) mkdirSync(folder)
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({
    compaction: { keepRecentTokens: 1 }, retry: { baseDelayMs: 1 },
  }))
  for (const name of Object.keys(process.env)) {
    if (/^(HOOPOE_(?!BIN$)|PI_|XDG_)|_API_KEY$/.test(name)) delete process.env[name]
  }
  Object.assign(process.env, { HOME: place.home, HOOPOE_DIR: place.home, HOOPOE_OFFLINE: '1', PI_CODING_AGENT_DIR: place.agent })
  return place
}

// step runs one check and prints its name; a failure ends the script.
export async function step(name, check) {
  try {
    await within(name, check())
    console.log(`ok    ${name}`)
  } catch (err) {
    console.log(`FAIL  ${name}\n${err instanceof assert.AssertionError ? err.message : err.stack ?? inspect(err)}`)
    process.exit(1)
  }
}

// within rejects when the promise takes longer than the guard.
export function within(what, promise) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${guard / 1000} s: ${what}`)), guard)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// Record keeps what a client told, in order, and wakes who waits for more.
export class Record {
  items = []
  #waiting = []

  add(item) {
    this.items.push(item)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  // first waits for the first item from index on that fits.
  async first(fits, from = 0) {
    for (let i = from; ; i++) {
      while (i >= this.items.length) await new Promise(wake => this.#waiting.push(wake))
      if (fits(this.items[i])) return this.items[i]
    }
  }
}

// gone waits until the process has ended.
export async function gone(pid) {
  while (runs(pid)) await new Promise(again => setTimeout(again, 10))
}

// runs tells a process from one that has ended and that nobody waited for:
// where a container has no init, it stays as a zombie.
function runs(pid) {
  try {
    process.kill(pid, 0)
    if (!existsSync('/proc/self/stat')) return true
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

export function trace(direction, text) {
  if (process.env.INTEROP_TRACE) console.error(`${direction} ${text}`)
}
