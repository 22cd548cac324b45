// A client that keeps requests by their ids and never says how the answer is
// to come: it joins chunks, answers questions under the request's own id, and
// takes every other frame for the end.
import assert from 'node:assert/strict';
import WebSocket from 'ws';

const ws = new WebSocket(process.argv[2]);
await new Promise((open, fail) => { ws.once('open', open); ws.once('error', fail); });
const config = { max_tokens: 2000, max_tool_try: 3, ask_before_tool_execution: true };
const open = new Map(), asked = [];
let n = 0;
ws.on('message', (data) => {
  const f = JSON.parse(data.toString()), r = f.response;
  const answer = (input) => ws.send(JSON.stringify({ request_id: f.request_id, input, stream: false, use_tools: false }));
  if (r.ToolConfirmationRequest) {
    asked.push(f.request_id);
    const { name, arguments: args } = r.ToolConfirmationRequest;
    return answer({ ToolConfirmationResponse: { name, arguments: args, approved: true } });
  }
  if (r.TurnConfirmationRequest) { asked.push(f.request_id); return answer({ TurnConfirmationResponse: { confirmed: true } }); }
  const one = open.get(f.request_id);
  assert.ok(one, 'a frame that nobody asked for: ' + data);
  if ('ToolCall' in r) return;
  if ('Stream' in r) return void (one.text += r.Stream);
  open.delete(f.request_id);
  one.done({ ...f, text: one.text + (r.Text ?? '') });
});
const ask = (input, more = {}) => new Promise((done, fail) => {
  const request_id = `req_${Date.now()}_${n++}`;
  setTimeout(() => fail(new Error('no answer to ' + JSON.stringify(input))), 30000).unref();
  open.set(request_id, { done, text: '' });
  ws.send(JSON.stringify({ request_id, input, config, use_tools: true, ...more }));
});

assert.ok(JSON.parse((await ask({ GetCommands: null })).text).count > 7);
assert.equal((await ask({ Text: 'hi' })).error, null);
assert.match((await ask({ Interrupt: null })).error, /No active/);
const ran = await ask({ Text: 'run echo hi' });
assert.equal(ran.error, null);
assert.deepEqual(asked, [ran.request_id]);
const streamed = await ask({ Text: 'hi' }, { stream: true });
assert.ok(streamed.text.length > 0 && 'StreamComplete' in streamed.response && 'Complete' in streamed.response);
const turns = await ask({ Text: 'hi' }, { config: { ...config, max_context_num: 1 } });
assert.equal(turns.error, null);
assert.ok(asked.includes(turns.request_id));
// Two at once are answered both, the second after the first.
const order = [];
await Promise.all(['hi', 'help'].map((t) => ask({ Text: t }).then((r) => { assert.equal(r.error, null); order.push(t); })));
assert.deepEqual(order, ['hi', 'help']);
const stopped = ask({ Text: 'run sleep 20' }, { config: {} });
assert.equal((await new Promise((done) => setTimeout(done, 300)).then(() => ask({ Interrupt: null }))).error, null);
assert.equal((await stopped).error, null);
assert.equal((await ask({ Regenerate: null }, { config: {} , use_tools: false })).error, null);
assert.equal((await ask({ ClearContext: null })).error, null);
ws.close();
console.log('ok');
