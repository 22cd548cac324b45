// Reads the frames with Node's readline, as many hosts do, and with a splitter
// that takes everything for a line's end that Unicode calls one.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Record, bin, model, newPlace, step, trace } from './steps.mjs'

const place = newPlace()
const text = message => typeof message.content === 'string' ? message.content : message.content[0].text
const separated = 'one\u2028two\u2029three\u0085four\rfive\x0bsix\x0cseven\x1ceight'

const server = spawn(bin, ['--mode', 'rpc', '--model', `script/${model}`], { cwd: place.work, stdio: ['pipe', 'pipe', 'inherit'] })
const chunks = []
server.stdout.on('data', chunk => chunks.push(chunk))
const frames = new Record()
createInterface({ input: server.stdout }).on('line', line => {
  trace('<', line)
  let frame
  try {
    frame = JSON.parse(line)
  } catch {
    frame = { type: 'no frame', line }
  }
  frames.add(frame)
})

// next waits for a frame that fits; a line that is none ends the wait.
async function next(fits, from = 0) {
  const frame = await frames.first(f => f.type === 'no frame' || fits(f), from)
  assert.notEqual(frame.type, 'no frame', `cut: ${frame.line?.slice(0, 200)}`)
  return frame
}

let count = 0
function request(type, fields = {}) {
  const id = `r${++count}`
  server.stdin.write(`${JSON.stringify({ id, type, ...fields })}\n`)
  return next(f => f.type === 'response' && f.id === id)
}

// run prompts and returns the frames up to the end.
async function run(message) {
  const from = frames.items.length
  assert.equal((await request('prompt', { message })).success, true)
  await next(f => f.type === 'agent_settled', from)
  return frames.items.slice(from)
}

await step('ready comes first', async () => {
  assert.equal((await next(() => true)).type, 'ready')
})

await step('an answer with every separator', async () => {
  const prompt = 'Name the separators \u2028 \u2029 \u0085 \x0b of lines'
  const told = await run(prompt)
  assert.deepEqual(told.find(f => f.type === 'agent_end').messages.map(m => m.role), ['user', 'assistant'])
  const deltas = told.filter(f => f.assistantMessageEvent?.type === 'text_delta')
  assert.equal(deltas.map(f => f.assistantMessageEvent.delta).join(''), separated)
  assert.equal(deltas.at(-1).message.content[0].text, separated)
  const user = told.find(f => f.type === 'message_end' && f.message.role === 'user')
  assert.equal(text(user.message), prompt)
})

await step('the same when it is asked for later', async () => {
  const { data } = await request('get_messages')
  assert.equal(data.messages.at(-1).content[0].text, separated)
  assert.equal((await request('get_last_assistant_text')).data.text, separated)
})

await step('a long line in one frame', async () => {
  const long = 'Say hello \u2028'.repeat(200_000)
  await run(long)
  const { data } = await request('get_messages')
  assert.equal(text(data.messages.at(-2)), long)
})

await step('the end of input ends it', async () => {
  server.stdin.end()
  assert.deepEqual(await once(server, 'close'), [0, null])
})

await step('each line is a frame, however lines are told', async () => {
  assert.deepEqual(frames.items.filter(f => f.type === 'no frame'), [])
  const text = Buffer.concat(chunks).toString('utf8')
  assert.ok(!text.includes('\ufffd'), 'the bytes are UTF-8')
  const lines = text.split('\n')
  assert.equal(lines.pop(), '')
  for (const line of lines) {
    assert.ok(!/[\u2028\u2029\r\v\f\x1c-\x1e]/.test(line), `a bare separator in ${line.slice(0, 200)}`)
    JSON.parse(line)
  }
  assert.equal(lines.length, frames.items.length)
})
