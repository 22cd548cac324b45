// Drives the binary as an editor does: through pi-acp, which speaks the Agent
// Client Protocol on its side and RPC to the binary.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Record, beside, bin, gone, model, newPlace, step, trace } from './steps.mjs'

const place = newPlace()
const pids = join(place.home, 'pids')

// executable writes a shell script.
function executable(name, body) {
  const path = join(place.bin, name)
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

const quoted = s => `'${s.replaceAll("'", `'\\''`)}'`

// server is what the adapter starts in pi's place. It takes one path without
// arguments.
function server(name, ...flags) {
  const command = [bin, '--rpc-dialect', 'pi', '--model', `script/${model}`, ...flags].map(quoted).join(' ')
  return executable(name, `echo $$ >> ${quoted(pids)}\nexec ${command} "$@"`)
}

// A pi that is installed would be asked for its version, and the registry then
// for a newer one.
executable('pi', 'exit 1')
process.env.PATH = place.bin + delimiter + process.env.PATH

// Editor is the client's side of the protocol.
class Editor {
  updates = new Record()
  questions = new Record()
  // answer picks an option of a permission question; undefined leaves it open.
  answer = () => undefined
  #replies = new Map()
  #last = 0

  constructor(command) {
    this.process = spawn(process.execPath, [beside('node_modules/pi-acp/dist/index.js')], {
      env: { ...process.env, PI_ACP_PI_COMMAND: command },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let rest = ''
    this.process.stdout.setEncoding('utf8').on('data', chunk => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) this.#receive(JSON.parse(line))
    })
    this.process.on('exit', code => {
      for (const { reject } of this.#replies.values()) reject(new Error(`the adapter left with ${code}`))
    })
  }

  #send(message) {
    trace('>', JSON.stringify(message))
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #receive(message) {
    trace('<', JSON.stringify(message))
    if (message.method === 'session/update') {
      this.updates.add(message.params.update)
    } else if (message.method === 'session/request_permission') {
      this.questions.add(message.params)
      const option = this.answer(message.params)
      if (option) this.#send({ id: message.id, result: { outcome: { outcome: 'selected', optionId: option.optionId } } })
    } else if (message.method) {
      this.#send({ id: message.id, error: { code: -32601, message: `no ${message.method} here` } })
    } else {
      const { resolve, reject } = this.#replies.get(message.id)
      this.#replies.delete(message.id)
      if (message.error) reject(new Error(`${message.error.message} ${JSON.stringify(message.error.data ?? '')}`))
      else resolve(message.result)
    }
  }

  request(method, params) {
    const id = ++this.#last
    this.#send({ id, method, params })
    return new Promise((resolve, reject) => this.#replies.set(id, { resolve, reject }))
  }

  notify(method, params) {
    this.#send({ method, params })
  }

  // open makes a session, or loads the one of the id, and waits for all that
  // the adapter says of it: it falls when it writes to a process that it has
  // ended in the meantime.
  async open(sessionId) {
    const from = this.updates.items.length
    const params = { cwd: place.work, mcpServers: [] }
    const result = await (sessionId ? this.request('session/load', { sessionId, ...params }) : this.request('session/new', params))
    const { availableCommands } = await this.updates.first(ofKind('available_commands_update'), from)
    return { sessionId, availableCommands, ...result }
  }

  prompt(sessionId, text) {
    return this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  }

  // turn prompts and returns the reason of the end and what was told meanwhile.
  async turn(sessionId, text) {
    const from = this.updates.items.length
    const { stopReason } = await this.prompt(sessionId, text)
    return { stopReason, updates: this.updates.items.slice(from) }
  }

  async close() {
    const exit = once(this.process, 'exit')
    this.process.stdin.end()
    await exit
  }
}

const ofKind = kind => u => u.sessionUpdate === kind
const said = updates => updates.filter(ofKind('agent_message_chunk')).map(u => u.content.text).join('')
const thought = updates => updates.filter(ofKind('agent_thought_chunk')).map(u => u.content.text).join('')
const calls = updates => updates.filter(u => u.sessionUpdate.startsWith('tool_call'))
const toolSays = part => u => u._meta?.terminal_output?.data.includes(part)
// asleep is the process of the tool that sleeps.
const asleep = () => Number(readFileSync(join(place.work, 'asleep'), 'utf8'))
const setting = (options, id) => options.find(o => o.id === id)

const editor = new Editor(server('plain'))
let session

await step('initialize', async () => {
  const result = await editor.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  assert.equal(result.protocolVersion, 1)
  assert.equal(result.agentInfo.version, '0.0.34')
})

await step('new session', async () => {
  const result = await editor.open()
  session = result.sessionId
  assert.match(session, /^[0-9a-f-]{36}$/)
  const models = setting(result.configOptions, 'model')
  assert.equal(models.currentValue, `script/${model}`)
  const offered = models.options.map(o => o.value)
  assert.ok(offered.includes('offline/guide') && offered.includes(models.currentValue), `${offered}`)
  const levels = setting(result.configOptions, 'thought_level')
  assert.deepEqual(levels.options.map(o => o.value), ['off', 'low', 'high'])
  assert.ok(result.availableCommands.length > 8, "the binary's commands beside the adapter's eight")
})

await step('prompt', async () => {
  const { stopReason, updates } = await editor.turn(session, 'Say hello')
  assert.equal(stopReason, 'end_turn')
  assert.equal(said(updates), 'Hello from the script, in more pieces than one.')
  assert.equal(thought(updates), 'Somebody wants a greeting.')
  const usage = updates.find(ofKind('usage_update'))
  assert.equal(usage.size, 200_000)
  assert.ok(usage.used >= 1200, `${usage.used} tokens`)
})

await step('prompt with every separator', async () => {
  const { updates } = await editor.turn(session, 'Name the separators \u2028 \u2029 \u0085')
  assert.equal(said(updates), 'one\u2028two\u2029three\u0085four\rfive\x0bsix\x0cseven\x1ceight')
})

await step('a command of a tool', async () => {
  const { stopReason, updates } = await editor.turn(session, 'Count the lines')
  assert.equal(stopReason, 'end_turn')
  const [first, ...more] = calls(updates)
  assert.deepEqual([first.sessionUpdate, first.kind], ['tool_call', 'execute'])
  assert.deepEqual([...new Set([first, ...more].map(u => u.status))], ['pending', 'in_progress', 'completed'])
  assert.equal(more.findLast(u => u.title)?.title, "printf 'one\\n'; printf 'two\\n'")
  assert.equal(more.map(u => u._meta?.terminal_output?.data ?? '').join('').trim(), 'one\ntwo')
  assert.equal(more.at(-1)._meta.terminal_exit.exit_code, 0)
  assert.equal(said(updates), 'I will ask the shell.There are two lines.')
})

await step('a tool that fails', async () => {
  const { updates } = await editor.turn(session, 'Run what fails')
  const last = calls(updates).at(-1)
  assert.equal(last.status, 'failed')
  assert.equal(last._meta.terminal_exit.exit_code, 3)
})

await step('changes of a file as diffs', async () => {
  const path = join(place.work, 'note.txt')
  const written = calls((await editor.turn(session, 'Write the note')).updates).at(-1)
  assert.equal(written.status, 'completed')
  assert.equal(readFileSync(path, 'utf8'), 'first line\nsecond line\n')
  const { updates } = await editor.turn(session, 'Correct the note')
  assert.deepEqual(calls(updates).filter(ofKind('tool_call')).map(u => u.kind), ['read', 'edit'])
  const edit = calls(updates).at(-1)
  assert.equal(edit.status, 'completed')
  assert.equal(readFileSync(path, 'utf8'), 'first line\nlast line\n')
  const last = calls(updates).filter(u => u.toolCallId === edit.toolCallId)
  assert.deepEqual(last.findLast(u => u.locations).locations.map(l => l.path), [path])
})

await step('cancel while the model thinks', async () => {
  const from = editor.updates.items.length
  const turn = editor.prompt(session, 'Think for long')
  await editor.updates.first(u => said([u]).includes('begin'), from)
  editor.notify('session/cancel', { sessionId: session })
  assert.equal((await turn).stopReason, 'cancelled')
})

await step('cancel while a tool runs', async () => {
  const from = editor.updates.items.length
  const turn = editor.prompt(session, 'Sleep in the shell')
  await editor.updates.first(toolSays('asleep'), from)
  editor.notify('session/cancel', { sessionId: session })
  assert.equal((await turn).stopReason, 'cancelled')
  assert.equal(calls(editor.updates.items.slice(from)).at(-1).status, 'failed')
  await gone(asleep())
  assert.equal(said((await editor.turn(session, 'Last words')).updates), 'Good bye.')
})

await step('two prompts at once, one after the other', async () => {
  const from = editor.updates.items.length
  const turns = await Promise.all([editor.prompt(session, 'Say hello'), editor.prompt(session, 'Last words')])
  assert.deepEqual(turns.map(t => t.stopReason), ['end_turn', 'end_turn'])
  assert.match(said(editor.updates.items.slice(from)), /Hello from the script.*Good bye\.$/)
})

await step('a model that fails, a model that recovers', async () => {
  assert.equal((await editor.turn(session, 'Fail for good')).stopReason, 'end_turn')
  const { stopReason, updates } = await editor.turn(session, 'Fail once')
  assert.equal(stopReason, 'end_turn')
  assert.match(said(updates), /^Retrying \(attempt 1\/\d+, waiting \d+s\)\.\.\..*The second try went well\./)
})

await step('switch the model and back', async () => {
  const set = value => editor.request('session/set_config_option', { sessionId: session, configId: 'model', value })
  const { configOptions } = await set('offline/guide')
  assert.equal(setting(configOptions, 'model').currentValue, 'offline/guide')
  assert.deepEqual(setting(configOptions, 'thought_level').options.map(o => o.value), ['off'])
  assert.match(said((await editor.turn(session, 'help')).updates), /guide/i)
  await assert.rejects(set('nobody/nothing'), /Model not found: nobody\/nothing/)
  await set(`script/${model}`)
  assert.match(said((await editor.turn(session, 'Say hello')).updates), /Hello from the script/)
})

await step('thinking levels', async () => {
  const from = editor.updates.items.length
  await editor.request('session/set_mode', { sessionId: session, modeId: 'high' })
  assert.equal((await editor.updates.first(ofKind('current_mode_update'), from)).currentModeId, 'high')
  const { configOptions } = await editor.request('session/set_config_option', { sessionId: session, configId: 'thought_level', value: 'off' })
  assert.equal(setting(configOptions, 'thought_level').currentValue, 'off')
})

await step('commands of the adapter', async () => {
  const says = async text => said((await editor.turn(session, text)).updates)
  assert.equal(await says('/name Of greetings'), 'Session name set: Of greetings')
  assert.match(await says('/session'), new RegExp(`^Session: ${session}\\n.*\\nMessages: \\d+\\nCost: [\\d.]+\\nTokens: in \\d+`))
  assert.equal(await says('/steering all'), 'Steering mode set to: all')
  assert.equal(await says('/steering'), 'Steering mode: all')
  assert.equal(await says('/follow-up all'), 'Follow-up mode set to: all')
  assert.equal(await says('/follow-up'), 'Follow-up mode: all')
  assert.equal(await says('/autocompact'), 'Auto-compaction disabled.')
  const { updates } = await editor.turn(session, '/export')
  const link = updates.find(u => u.content?.type === 'resource_link').content
  assert.match(readFileSync(new URL(link.uri), 'utf8'), /Of greetings/)
  assert.match(await says('/compact mind the greeting'), /Tokens before: \d+\n\nThe user greeted, and was greeted\./)
})

let other
await step('session list', async () => {
  other = (await editor.open()).sessionId
  assert.notEqual(other, session)
  await editor.turn(other, 'Say hello again')
  const { sessions } = await editor.request('session/list', { cwd: place.work })
  assert.deepEqual(sessions.map(s => [s.sessionId, s.title]), [[other, 'Say hello again'], [session, 'Of greetings']])
  for (const s of sessions) assert.ok(Date.now() - Date.parse(s.updatedAt) < 3_600_000, s.updatedAt)
})

await step('load the earlier session and go on', async () => {
  const from = editor.updates.items.length
  await editor.open(session)
  const replayed = editor.updates.items.slice(from)
  assert.match(said(replayed), /Hello from the script/)
  const { stopReason, updates } = await editor.turn(session, 'Last words')
  assert.deepEqual([stopReason, said(updates)], ['end_turn', 'Good bye.'])
  const { sessions } = await editor.request('session/list', {})
  assert.deepEqual(sessions.map(s => s.sessionId), [session, other])
})

await step('load the session that is open', async () => {
  await editor.open(session)
  assert.equal((await editor.turn(session, 'Last words')).stopReason, 'end_turn')
})

await step('load a session in which nobody said anything', async () => {
  const { sessionId } = await editor.open()
  await editor.open(sessionId)
  assert.match(said((await editor.turn(sessionId, 'Say hello')).updates), /Hello from the script/)
})

await step('leave in the middle of a run', async () => {
  const { sessionId } = await editor.open()
  const from = editor.updates.items.length
  editor.prompt(sessionId, 'Sleep in the shell').catch(() => {})
  await editor.updates.first(toolSays('asleep'), from)
  const tool = asleep()
  await editor.close()
  await gone(tool)
  for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) await gone(Number(pid))
})

const strict = new Editor(server('asking', '--permissions', 'ask'))
await step('permission questions', async () => {
  await strict.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await strict.open()
  const answer = join(place.work, 'answer.txt')

  strict.answer = ({ options }) => options.at(-1)
  const refused = await strict.turn(sessionId, 'Run the first question')
  assert.equal(calls(refused.updates).at(-1).status, 'failed')
  assert.ok(!existsSync(answer), 'what was refused did not run')
  assert.match(JSON.stringify(strict.questions.items[0].toolCall), /echo allowed > answer\.txt/)

  strict.answer = () => undefined
  const open = strict.prompt(sessionId, 'Run the second question')
  await strict.questions.first(() => true, 1)
  strict.notify('session/cancel', { sessionId })
  assert.equal((await open).stopReason, 'cancelled')

  strict.answer = ({ options }) => options[0]
  const allowed = await strict.turn(sessionId, 'Run the third question')
  assert.equal(calls(allowed.updates).at(-1).status, 'completed')
  assert.equal(readFileSync(answer, 'utf8'), 'allowed\n')
  await strict.close()
})
process.exit(0)
