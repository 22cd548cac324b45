// Drives the binary through the official SDK of today.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as acp from '@agentclientprotocol/sdk'
import { kinds, newPlace, said, start, step } from './steps.mjs'

const place = newPlace()
const { agent: remote, client: local } = acp.methods
let updates = []
const asked = []
const app = acp.client({ name: 'interop' })
  .onRequest(local.session.requestPermission, ({ params }) => {
    asked.push(params)
    return { outcome: { outcome: 'selected', optionId: params.options.find(o => o.kind === 'allow_once').optionId } }
  })
  .onRequest(local.fs.readTextFile, ({ params }) => ({ content: readFileSync(params.path, 'utf8') }))
  .onRequest(local.fs.writeTextFile, ({ params }) => { writeFileSync(params.path, params.content); return {} })
  .onNotification(local.session.update, ({ params }) => { updates.push(params.update) })

const process_ = start()
await app.connectWith(acp.ndJsonStream(process_.input, process_.output), async agent => {
  let session
  const prompt = text => agent.request(remote.session.prompt, { sessionId: session, prompt: [{ type: 'text', text }] })
  await step('initialize', async () => {
    const r = await agent.request(remote.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION, clientInfo: { name: 'interop', version: '1' },
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
    })
    assert.equal(r.protocolVersion, 1)
    assert.equal(r.agentCapabilities.loadSession, true)
  })
  await step('a session', async () => {
    const r = await agent.request(remote.session.new, { cwd: place.work, mcpServers: [] })
    session = r.sessionId
    assert.equal(r.modes.currentModeId, 'ask')
    assert.deepEqual(r.configOptions.map(o => o.id), ['mode', 'model', 'thinking'])
  })
  await step('a turn with calls', async () => {
    const r = await prompt('work')
    assert.equal(r.stopReason, 'end_turn')
    assert.equal(readFileSync(join(place.work, 'made.txt'), 'utf8'), 'one\nthree\n')
    assert.equal(said(updates), 'All done.')
    const counts = kinds(updates)
    assert.equal(counts.tool_call, 4)
    assert.ok(counts.plan >= 1 && counts.agent_thought_chunk >= 1)
    assert.equal(asked[0].toolCall.content[0].type, 'diff')
    assert.deepEqual(asked[0].options.map(o => o.optionId), ['allow', 'reject', 'allow_always', 'reject_always'])
  })
  await step('a cancel', async () => {
    const running = prompt('slow')
    while (!said(updates).includes('slow')) await new Promise(r => setTimeout(r, 5))
    await agent.notify(remote.session.cancel, { sessionId: session })
    assert.equal((await running).stopReason, 'cancelled')
  })
  await step('modes and options', async () => {
    await agent.request(remote.session.setMode, { sessionId: session, modeId: 'plan' })
    const r = await agent.request(remote.session.setConfigOption, { sessionId: session, configId: 'thinking', value: 'high' })
    assert.deepEqual(r.configOptions.map(o => o.currentValue).filter(v => v === 'plan' || v === 'high'), ['plan', 'high'])
  })
  await step('list, close and load', async () => {
    const list = await agent.request(remote.session.list, { cwd: place.work })
    assert.deepEqual(list.sessions.map(s => [s.sessionId, s.title]), [[session, 'work']])
    await agent.request(remote.session.close, { sessionId: session })
    updates = []
    const r = await agent.request(remote.session.load, { sessionId: session, cwd: place.work, mcpServers: [] })
    assert.equal(r.modes.currentModeId, 'plan')
    while ((kinds(updates).user_message_chunk ?? 0) < 2) await new Promise(r => setTimeout(r, 5)) // the SDK hands them over later
    const counts = kinds(updates)
    assert.equal(counts.user_message_chunk, 2)
    assert.equal(counts.tool_call, 4)
  })
  await step('errors', async () => {
    const code = promise => promise.then(() => 0, e => e.code)
    assert.equal(await code(agent.request(remote.session.prompt, { sessionId: 'nope', prompt: [{ type: 'text', text: 'x' }] })), -32602)
    assert.equal(await code(agent.request(remote.session.prompt, { sessionId: session, prompt: [] })), -32602)
    assert.equal(await code(agent.request('no/such', {})), -32601)
  })
})
await step('the end', async () => assert.equal(await process_.end(), 0))
