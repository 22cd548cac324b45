// Drives the binary through acpx, a client for the command line.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beside, command, newPlace, step } from './steps.mjs'

const place = newPlace()
const agent = command.map(word => /[^\w./-]/.test(word) ? JSON.stringify(word) : word).join(' ')

// acpx runs it and gives what it wrote and its exit code.
function acpx(...args) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [beside('node_modules/acpx/dist/cli.js'), '--agent', agent, '--cwd', place.work, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', d => { text += d })
    child.stderr.on('data', d => { text += d })
    child.on('exit', code => resolve({ code, text, lines: text.split('\n').filter(l => l.startsWith('{')).map(l => JSON.parse(l)) }))
  })
}

const made = join(place.work, 'made.txt')
await step('exec, all approved', async () => {
  const r = await acpx('--approve-all', '--format', 'json', 'exec', 'work')
  assert.equal(r.code, 0, r.text)
  assert.equal(readFileSync(made, 'utf8'), 'one\nthree\n')
  assert.ok(r.lines.some(m => m.result?.stopReason === 'end_turn'), r.text)
})
await step('exec, all denied', async () => {
  rmSync(made)
  const r = await acpx('--deny-all', '--format', 'json', 'exec', 'work')
  assert.equal(r.code, 5, r.text) // its code for a denied permission
  assert.ok(!existsSync(made))
})
await step('a session that stays', async () => {
  assert.equal((await acpx('sessions', 'new')).code, 0)
  const first = await acpx('prompt', 'hi')
  assert.equal(first.code, 0, first.text)
  assert.match(first.text, /Hello from the script\./)
  assert.match((await acpx('set-mode', 'plan')).text, /mode set: plan/)
  assert.match((await acpx('set', 'thinking', 'high')).text, /thinking=high/)
})
await step('a cancel', async () => {
  const running = acpx('prompt', 'slow')
  let told
  do {
    await new Promise(r => setTimeout(r, 200))
    told = await acpx('cancel')
    assert.equal(told.code, 0, told.text)
  } while (/nothing to cancel/.test(told.text))
  const r = await running
  assert.match(r.text, /cancelled/, r.text)
})
await step('its end', async () => {
  const r = await acpx('sessions', 'close')
  assert.equal(r.code, 0, r.text)
})
