// Drives the binary through pi's RpcClient. The module has no imports but
// Node's own and its line reader; it is loaded by path, since the package's
// entry point would load all of pi.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RpcClient } from './node_modules/@mariozechner/pi-coding-agent/dist/modes/rpc/rpc-client.js'
import { Record, beside, gone, model, newPlace, step, trace } from './steps.mjs'

const place = newPlace()
process.env.HOOPOE_RPC_DIALECT = 'pi'
process.env.INTEROP_PIDS = join(place.home, 'pids')

const client = new RpcClient({
  cliPath: beside('cli.mjs'),
  cwd: place.work,
  model: `script/${model}`,
})
const events = new Record()
client.onEvent(event => {
  trace('<', JSON.stringify(event))
  events.add(event)
})

const types = list => list.map(e => e.type)
const ofType = type => e => e.type === type
const said = list => list.filter(e => e.assistantMessageEvent?.type === 'text_delta').map(e => e.assistantMessageEvent.delta).join('')
const thought = list => list.filter(e => e.assistantMessageEvent?.type === 'thinking_delta').map(e => e.assistantMessageEvent.delta).join('')
const text = message => typeof message.content === 'string' ? message.content : message.content.filter(b => b.type === 'text').map(b => b.text).join('')

// asleep is the process of the tool that sleeps.
const asleep = () => Number(readFileSync(join(place.work, 'asleep'), 'utf8'))
const toolSays = part => e => e.type === 'tool_execution_update' && text(e.partialResult).includes(part)

// begin starts a run that doesn't end by itself, and waits for its event.
async function begin(prompt, fits) {
  const from = events.items.length
  await client.prompt(prompt)
  await events.first(fits, from)
  return from
}

// ended is what was told from there on to the run's end, once it is there.
async function ended(from) {
  const end = await events.first(ofType('agent_end'), from)
  return events.items.slice(from, events.items.indexOf(end) + 1)
}

await step('start', async () => {
  await client.start()
  const state = await client.getState()
  assert.equal(state.isStreaming, false)
  assert.equal(state.isCompacting, false)
  assert.equal(state.messageCount, 0)
  assert.equal(state.pendingMessageCount, 0)
  assert.equal(state.steeringMode, 'one-at-a-time')
  assert.equal(state.followUpMode, 'one-at-a-time')
  assert.equal(state.autoCompactionEnabled, true)
  assert.deepEqual([state.model.provider, state.model.id], ['script', model])
  assert.ok(state.sessionFile.startsWith(join(place.agent, 'sessions')), state.sessionFile)
  assert.match(state.sessionId, /^[0-9a-f-]{36}$/)
})

await step('prompt: events in order, the text whole', async () => {
  const run = await client.promptAndWait('Say hello')
  const order = types(run).filter(type => /^(agent_(start|end)|turn_|message_)/.test(type)).filter((type, i, all) => type !== all[i - 1])
  assert.deepEqual(order, [
    'agent_start', 'turn_start', 'message_start', 'message_end',
    'message_start', 'message_update', 'message_end', 'turn_end', 'agent_end',
  ])
  assert.equal(thought(run), 'Somebody wants a greeting.')
  assert.equal(said(run), 'Hello from the script, in more pieces than one.')
  const end = run.at(-1)
  assert.deepEqual(end.messages.map(m => m.role), ['user', 'assistant'])
  assert.equal(text(end.messages[1]), said(run))
  assert.equal(end.messages[1].usage.input, 1200)
  assert.equal(end.messages[1].stopReason, 'stop')
  assert.equal(await client.getLastAssistantText(), said(run))
})

await step('the next prompt is taken at once after agent_end', async () => {
  for (let i = 0; i < 5; i++) {
    const [state, run] = await Promise.all([client.getState(), client.promptAndWait(`Say hello, number ${i}`)])
    assert.equal(state.isStreaming, false)
    assert.deepEqual(run.at(-1).messages.map(m => m.role), ['user', 'assistant'])
  }
})

await step('separators in a prompt and in an answer', async () => {
  const prompt = 'Name the separators \u2028 \u2029 \u0085 \r\n of lines'
  const run = await client.promptAndWait(prompt)
  assert.equal(said(run), 'one\u2028two\u2029three\u0085four\rfive\x0bsix\x0cseven\x1ceight')
  assert.equal(text(run.at(-1).messages[0]), prompt)
})

await step('a picture', async () => {
  const gif = { type: 'image', data: 'R0lGODlhAQABAIAAAP///////yH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', mimeType: 'image/gif' }
  await client.promptAndWait('Say hello', [gif])
  const { content } = (await client.getMessages()).at(-2)
  assert.deepEqual(content.map(b => b.type), ['text', 'image'])
  assert.match(content[1].mimeType, /^image\//)
  assert.ok(content[1].data.length > 20)
})

await step('a tool call', async () => {
  const run = await client.promptAndWait('Count the lines')
  const start = run.find(ofType('tool_execution_start'))
  assert.equal(start.toolName, 'bash')
  assert.deepEqual(start.args, { command: "printf 'one\\n'; printf 'two\\n'" })
  const end = run.find(ofType('tool_execution_end'))
  assert.equal(end.toolCallId, start.toolCallId)
  assert.equal(end.isError, false)
  assert.equal(end.result.content[0].text.trim(), 'one\ntwo')
  const call = run.find(e => e.assistantMessageEvent?.type === 'toolcall_end').assistantMessageEvent.toolCall
  assert.deepEqual([call.type, call.id, call.name, call.arguments], ['toolCall', start.toolCallId, 'bash', start.args])
  assert.deepEqual(run.at(-1).messages.map(m => m.role), ['user', 'assistant', 'toolResult', 'assistant'])
  const turn = run.find(ofType('turn_end'))
  assert.equal(turn.toolResults[0].toolCallId, start.toolCallId)
  assert.equal(await client.getLastAssistantText(), 'There are two lines.')
})

await step('tools that change files', async () => {
  await client.promptAndWait('Write the note')
  assert.equal(readFileSync(join(place.work, 'note.txt'), 'utf8'), 'first line\nsecond line\n')
  const run = await client.promptAndWait('Correct the note')
  assert.deepEqual(run.filter(ofType('tool_execution_end')).map(e => [e.toolName, e.isError]), [['read', false], ['edit', false]])
  assert.equal(readFileSync(join(place.work, 'note.txt'), 'utf8'), 'first line\nlast line\n')
})

await step('failures that the client has no method for', async () => {
  const unknown = await client.send({ type: 'no_such_command' })
  assert.deepEqual([unknown.success, unknown.error], [false, 'Unknown command: no_such_command'])
  const from = await begin('Think for long', e => said([e]).includes('begin'))
  const busy = await client.send({ type: 'prompt', message: 'Say hello' })
  assert.equal(busy.success, false)
  assert.match(busy.error, /already processing/)
  const queued = await client.send({ type: 'prompt', message: 'Last words', streamingBehavior: 'followUp' })
  assert.equal(queued.success, true)
  assert.equal((await client.getState()).pendingMessageCount, 1)
  assert.deepEqual((await client.send({ type: 'clear_queue' })).data, { steering: [], followUp: ['Last words'] })
  await client.abort()
  await ended(from)
})

await step('a tool that fails', async () => {
  const run = await client.promptAndWait('Run what fails')
  const end = run.find(ofType('tool_execution_end'))
  assert.equal(end.isError, true)
  assert.match(end.result.content[0].text, /broken/)
  assert.equal(said(run), 'It failed with code 3.')
})

await step('abort while the model thinks', async () => {
  const from = await begin('Think for long', e => said([e]).includes('begin'))
  assert.equal((await client.getState()).isStreaming, true)
  await client.abort()
  const run = await ended(from)
  const last = run.filter(ofType('message_end')).at(-1).message
  assert.equal(last.stopReason, 'aborted')
  assert.equal(text(last), 'I begin')
  assert.equal((await client.getState()).isStreaming, false)
})

await step('abort while a tool runs', async () => {
  const from = await begin('Sleep in the shell', toolSays('asleep'))
  await client.abort()
  const run = await ended(from)
  assert.equal(run.find(ofType('tool_execution_end')).isError, true)
  assert.equal(run.filter(ofType('agent_end')).length, 1)
  await gone(asleep())
  assert.equal(said(await client.promptAndWait('Last words')), 'Good bye.')
})

await step('steering and a follow-up', async () => {
  const from = await begin('Begin the long job', ofType('tool_execution_start'))
  await client.steer('Change of plan')
  await client.followUp('And then stop')
  assert.equal((await client.getState()).pendingMessageCount, 2)
  writeFileSync(join(place.work, 'go'), '')
  const run = await ended(from)
  assert.deepEqual(run.at(-1).messages.map(m => m.role === 'user' ? text(m) : m.role), [
    'Begin the long job', 'assistant', 'toolResult', 'Change of plan', 'assistant', 'And then stop', 'assistant',
  ])
  assert.equal(said(run), 'I begin.The plan is changed.I stop.')
  assert.ok(run.some(e => e.type === 'queue_update' && e.steering.includes('Change of plan')))
  assert.equal((await client.getState()).pendingMessageCount, 0)
})

await step('queue modes', async () => {
  await client.setSteeringMode('all')
  await client.setFollowUpMode('all')
  let state = await client.getState()
  assert.deepEqual([state.steeringMode, state.followUpMode], ['all', 'all'])
  await client.setSteeringMode('one-at-a-time')
  state = await client.getState()
  assert.deepEqual([state.steeringMode, state.followUpMode], ['one-at-a-time', 'all'])
})

await step('switch the model and back', async () => {
  const offered = await client.getAvailableModels()
  const names = offered.map(m => `${m.provider}/${m.id}`)
  assert.ok(names.includes('offline/guide') && names.includes(`script/${model}`), `${names}`)
  const chosen = await client.setModel('offline', 'guide')
  assert.deepEqual([chosen.provider, chosen.id], ['offline', 'guide'])
  const state = await client.getState()
  assert.equal(state.model.id, 'guide')
  assert.equal(state.thinkingLevel, 'off')
  const run = await client.promptAndWait('help')
  assert.match(said(run), /guide/i)
  assert.equal(run.at(-1).messages[1].provider, 'offline')
  await client.setModel('script', model)
  assert.equal(said(await client.promptAndWait('Say hello')), 'Hello from the script, in more pieces than one.')
  await assert.rejects(client.setModel('nobody', 'nothing'), /^Error: Model not found: nobody\/nothing$/)
  const next = await client.cycleModel()
  assert.notEqual(next.model.id, model)
  assert.equal(next.isScoped, false)
  await client.setModel('script', model)
})

await step('thinking levels', async () => {
  await client.setThinkingLevel('high')
  assert.equal((await client.getState()).thinkingLevel, 'high')
  assert.deepEqual(await client.cycleThinkingLevel(), { level: 'off' })
  assert.deepEqual(await client.cycleThinkingLevel(), { level: 'low' })
})

await step('a model that fails, a model that recovers', async () => {
  const failed = await client.promptAndWait('Fail for good')
  const last = failed.at(-1).messages.at(-1)
  assert.equal(last.stopReason, 'error')
  assert.match(last.errorMessage, /too odd/)
  const from = await begin('Fail once', ofType('auto_retry_end'))
  const [retry, end] = events.items.slice(from).filter(e => e.type.startsWith('auto_retry_'))
  assert.deepEqual([retry.attempt, typeof retry.maxAttempts, typeof retry.delayMs], [1, 'number', 'number'])
  assert.equal(end.success, true)
  const answer = await events.first(e => said([e]) !== '', from)
  assert.equal(said(await ended(events.items.indexOf(answer))), 'The second try went well.')
  await client.setAutoRetry(true)
  await client.abortRetry()
})

await step('the shell', async () => {
  const result = await client.bash('echo out; echo err >&2; exit 4')
  assert.deepEqual([result.exitCode, result.cancelled, result.truncated], [4, false, false])
  assert.deepEqual(result.output.trim().split('\n').sort(), ['err', 'out'])
  const running = client.bash('touch started; exec sleep 3600')
  while (!existsSync(join(place.work, 'started'))) await client.getState()
  await client.abortBash()
  assert.equal((await running).cancelled, true)
})

await step('compaction', async () => {
  await client.setAutoCompaction(false)
  assert.equal((await client.getState()).autoCompactionEnabled, false)
  const from = events.items.length
  const result = await client.compact('mind the greeting')
  assert.match(result.summary, /The user greeted, and was greeted\./)
  assert.ok(result.tokensBefore > 0)
  assert.equal(typeof result.firstKeptEntryId, 'string')
  const end = await events.first(ofType('compaction_end'), from)
  assert.equal(end.reason, 'manual')
  assert.equal(end.aborted, false)
  assert.equal((await client.getMessages())[0].role, 'compactionSummary')
})

await step('statistics, names, commands', async () => {
  await client.setSessionName('  Of greetings ')
  assert.equal((await client.getState()).sessionName, 'Of greetings')
  const stats = await client.getSessionStats()
  for (const name of ['userMessages', 'assistantMessages', 'toolCalls', 'toolResults', 'totalMessages', 'cost']) {
    assert.equal(typeof stats[name], 'number', name)
  }
  for (const name of ['input', 'output', 'cacheRead', 'cacheWrite', 'total']) assert.equal(typeof stats.tokens[name], 'number', name)
  assert.equal(stats.sessionFile, (await client.getState()).sessionFile)
  assert.ok((await client.getCommands()).every(c => typeof c.name === 'string' && typeof c.source === 'string'))
  const { path } = await client.exportHtml(join(place.work, 'session.html'))
  assert.match(readFileSync(path, 'utf8'), /Of greetings/)
})

await step('new, switch, fork and clone a session', async () => {
  const old = await client.getState()
  const messages = await client.getMessages()
  assert.deepEqual(await client.newSession(), { cancelled: false })
  const fresh = await client.getState()
  assert.notEqual(fresh.sessionId, old.sessionId)
  assert.equal(fresh.messageCount, 0)
  assert.equal(await client.getLastAssistantText() ?? null, null)
  await client.promptAndWait('Say hello first')
  await client.promptAndWait('Say hello second')

  const points = await client.getForkMessages()
  assert.deepEqual(points.map(p => p.text), ['Say hello first', 'Say hello second'])
  assert.deepEqual(await client.fork(points[1].entryId), { text: 'Say hello second', cancelled: false })
  assert.equal((await client.getState()).messageCount, 2)
  await assert.rejects(client.fork('nowhere'), /Invalid entry ID for forking/)
  const forked = (await client.getState()).sessionId
  assert.deepEqual(await client.clone(), { cancelled: false })
  assert.notEqual((await client.getState()).sessionId, forked)
  assert.equal((await client.getState()).messageCount, 2)

  assert.deepEqual(await client.switchSession(old.sessionFile), { cancelled: false })
  const back = await client.getState()
  assert.deepEqual([back.sessionId, back.sessionName], [old.sessionId, 'Of greetings'])
  assert.deepEqual((await client.getMessages()).map(m => m.role), messages.map(m => m.role))
})

await step('no frame without a meaning', async () => {
  assert.deepEqual(events.items.filter(ofType('response')), [])
})

await step('stop in the middle of a run', async () => {
  await begin('Sleep in the shell', toolSays('asleep'))
  const tool = asleep()
  await client.stop()
  await gone(tool)
  for (const pid of readFileSync(process.env.INTEROP_PIDS, 'utf8').trim().split('\n')) await gone(Number(pid))
})
process.exit(0)
