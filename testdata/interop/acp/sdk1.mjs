// Drives the binary through the last official SDK with ClientSideConnection,
// which most editors in the field are built on.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as acp from 'acp-sdk-v1'
import { newPlace, said, start, step } from './steps.mjs'

const place = newPlace()
const updates = []
const agent = start()
let option = 'reject'
const connection = new acp.ClientSideConnection(() => ({
  async requestPermission() { return { outcome: { outcome: 'selected', optionId: option } } },
  async sessionUpdate(p) { updates.push(p.update) },
}), acp.ndJsonStream(agent.input, agent.output))

let session
const prompt = text => connection.prompt({ sessionId: session, prompt: [{ type: 'text', text }] })
await step('initialize and a session', async () => {
  const r = await connection.initialize({ protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} })
  assert.equal(r.protocolVersion, 1)
  session = (await connection.newSession({ cwd: place.work, mcpServers: [] })).sessionId
})
await step('rejected calls', async () => {
  assert.equal((await prompt('work')).stopReason, 'end_turn')
  assert.ok(!existsSync(join(place.work, 'made.txt')))
  const failed = updates.filter(u => u.sessionUpdate === 'tool_call_update' && u.status === 'failed')
  assert.equal(failed.length, 3)
  assert.equal(said(updates), 'All done.')
})
await step('a question without forms', async () => {
  assert.equal((await prompt('question')).stopReason, 'end_turn')
  assert.ok(said(updates).endsWith('Which one?\n\n1. left\n2. right'))
  assert.equal((await prompt('2')).stopReason, 'end_turn')
})
await step('a cancel while nobody answers', async () => {
  const running = prompt('slow')
  while (!said(updates).includes('slow')) await new Promise(r => setTimeout(r, 5))
  await connection.cancel({ sessionId: session })
  assert.equal((await running).stopReason, 'cancelled')
})
await step('the end', async () => assert.equal(await agent.end(), 0))
