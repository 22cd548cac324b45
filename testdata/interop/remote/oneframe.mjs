// A client that takes the next message for the answer to what it has sent.
import assert from 'node:assert/strict';
import WebSocket from 'ws';

const ws = new WebSocket(process.argv[2]);
await new Promise((open, fail) => { ws.once('open', open); ws.once('error', fail); });
let unasked = 0;
const idle = () => { unasked++; };
const ask = (request) => new Promise((done, fail) => {
  ws.off('message', idle);
  ws.once('message', (data) => { ws.on('message', idle); done(JSON.parse(data.toString())); });
  ws.once('close', () => fail(new Error('the connection was closed')));
  ws.send(JSON.stringify(request));
});
ws.on('message', idle);

for (const [i, extra] of [{}, { stream: false }, { '': false }, { stream: null, use_tools: true }].entries()) {
  const r = await ask({ request_id: 'one' + i, input: { Text: 'hi' }, ...extra });
  assert.deepEqual(Object.keys(r), ['request_id', 'response', 'error', 'token_usage']);
  assert.deepEqual(Object.keys(r.response), ['Text']);
  assert.equal(r.request_id, 'one' + i);
  assert.equal(r.error, null);
  assert.ok(r.response.Text.length > 0);
}
for (const input of ['GetCommands', { GetCommands: null }]) {
  const r = await ask({ request_id: 'list', input, '': false, use_tools: false });
  const list = JSON.parse(r.response.Text);
  assert.equal(list.count, list.commands.length);
  for (const name of ['help', 'clear', 'exit', 'reset', 'history', 'tools', 'config']) assert.ok(list.commands.some((c) => c.name === name && c.description), name);
}
const broken = await new Promise((done) => { ws.off('message', idle); ws.once('message', (d) => { ws.on('message', idle); done(JSON.parse(d.toString())); }); ws.send('{"request_id": '); });
assert.equal(broken.response.Text, '');
assert.match(broken.error, /^Failed to parse request: /);
assert.equal(unasked, 0, 'something came unasked');
ws.close();
console.log('ok');
