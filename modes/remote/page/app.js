// The page: one WebSocket, events in, commands out. After a loss it connects
// again and draws from the picture that the server sends first, so nothing is
// lost and nothing is there twice.
import { Markdown, codeBlock } from './markdown.js';

const $ = (id) => document.getElementById(id);
const node = (tag, props = {}, ...children) => {
  const n = Object.assign(document.createElement(tag), props);
  n.append(...children);
  return n;
};
const log = $('log');

// The token comes behind the number sign of the pairing link and is kept here.
const store = { get: (k) => { try { return localStorage.getItem('hoopoe.' + k); } catch { return null; } }, set: (k, v) => { try { localStorage.setItem('hoopoe.' + k, v); } catch { /* private mode */ } } };
function pair() {
  const hash = new URLSearchParams(location.hash.slice(1));
  if (hash.has('token')) {
    store.set('token', hash.get('token'));
    paired = hash.get('token');
    session = hash.get('session') ?? session;
    history.replaceState(null, '', location.pathname);
  }
}
let paired = store.get('token'), session = store.get('session') || 'new';
pair();

const code64 = (s) => btoa(String.fromCharCode(...new TextEncoder().encode(s))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

// --- connection ---
let ws = null, tries = 0, retry = 0, nextID = 1;
const waiting = new Map();

function connect() {
  clearTimeout(retry);
  if (!paired) return banner('Open the pairing link, or scan its code, to connect.');
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/?wire=events&session=${encodeURIComponent(session)}`;
  const mine = (ws = new WebSocket(url, ['hoopoe', 'bearer.' + code64(paired)]));
  let opened = false;
  mine.onopen = () => { opened = true; };
  mine.onmessage = (m) => { if (ws === mine) receive(JSON.parse(m.data)); };
  mine.onclose = async (e) => {
    if (ws !== mine) return;
    light('off', 'not connected');
    for (const done of waiting.values()) done({ success: false, error: 'The connection was lost.' });
    waiting.clear();
    if (e.code === 4404) { session = 'new'; store.set('session', ''); return connect(); }
    if (!opened && tries > 0 && (await alive())) return banner('The server is there but doesn’t let this page in. Open the pairing link again.');
    tries++;
    banner('The connection is lost. Trying again…');
    retry = setTimeout(connect, Math.min(10000, 250 * 2 ** Math.min(tries, 6)));
  };
}
async function alive() { try { return (await fetch('healthz', { cache: 'no-store' })).ok; } catch { return false; } }
addEventListener('online', () => { if (ws?.readyState !== WebSocket.OPEN) connect(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden && ws?.readyState === WebSocket.CLOSED) connect(); });
addEventListener('hashchange', () => { pair(); tries = 0; const old = ws; ws = null; old?.close(); connect(); });

function command(type, fields = {}) {
  return new Promise((done) => {
    if (ws?.readyState !== WebSocket.OPEN) return done({ success: false, error: 'There is no connection.' });
    const id = String(nextID++);
    waiting.set(id, done);
    ws.send(JSON.stringify({ id, type, ...fields }));
  });
}

function banner(text) { $('banner').textContent = text; $('banner').hidden = !text; }
function light(state, label) { $('light').className = state; $('light').setAttribute('aria-label', label); }

// --- the conversation ---
let view = null, busy = false;
let messages = new Map(); // by id: the drawn message
let cards = new Map();    // by call id

function receive(e) {
  const fn = handlers[e.type];
  if (!fn) return;
  const stick = nearEnd();
  fn(e);
  if (stick) toEnd();
}

const handlers = {
  view(e) {
    tries = 0;
    banner('');
    view = e.view;
    if (e.kept) { session = e.kept; store.set('session', session); }
    log.replaceChildren();
    messages = new Map(); cards = new Map();
    view.messages.forEach((m, i) => drawMessage(e.ids[i], m));
    if (view.inFlight) drawMessage(e.inFlightId, view.inFlight, true);
    for (const r of view.running ?? []) running(r);
    if (view.question) ask(view.question); else unask();
    setBusy(view.busy);
    setTitle();
    toEnd();
  },
  response(e) { waiting.get(e.id)?.(e); waiting.delete(e.id); },
  run_started() { setBusy(true); },
  run_settled(e) {
    setBusy(false);
    if (e.error && !e.aborted) note(e.error, 'error');
    if (e.aborted) note('Stopped.');
  },
  prompt_failed(e) { note(e.error, 'error'); },
  message_started(e) { drawMessage(e.id, e.message, e.message.role === 'assistant'); setTitle(); },
  message_delta(e) {
    const m = messages.get(e.id);
    if (!m) return;
    const b = m.block(e.index, e.block);
    if (b) { b.text += e.delta; later(b, e.done); }
    else if (e.block === 'toolCall' && e.callId && !cards.has(e.callId)) card(e.callId, e.name).el.dataset.of = e.id;
  },
  message_ended(e) { drawMessage(e.id, e.message); },
  message_removed(e) { messages.get(e.id)?.remove(); messages.delete(e.id); },
  tool_started(e) { card(e.callId, e.name).arguments(e.arguments); },
  tool_running(e) { running(e); },
  tool_progress(e) { cards.get(e.callId)?.output(e.content); },
  tool_ended(e) { const c = card(e.callId, e.name); c.output(e.content); c.state(e.denied ? 'refused' : e.isError ? 'failed' : 'done', e.isError, e.durationMs); },
  ask_opened(e) { ask(e.question); },
  ask_closed(e) { if (asked?.id === e.id) unask(); },
  session_named(e) { view.name = e.name; setTitle(); },
  model_changed(e) { view.model = e.model; setTitle(); },
  mode_changed(e) { view.mode = e.mode; setTitle(); },
  notice(e) { note(e.text, e.level); },
  extension_failed(e) { note(`${e.extension}: ${e.error}`, 'error'); },
  retry_scheduled(e) { note(`Trying again in ${Math.round(e.delayMs / 1000)} s: ${e.error}`, 'warning'); },
  compaction_started() { note('Older messages are being replaced by a summary…'); },
  compaction_ended(e) { if (e.error) note(e.error, 'error'); },
  todos_changed(e) { todos(e.phases); },
  bash_started(e) { card(e.id, '$ ' + e.command); },
  bash_progress(e) { cards.get(e.id)?.output([{ type: 'text', text: e.output }]); },
  bash_ended(e) { const c = cards.get(e.id); c?.output([{ type: 'text', text: e.message.output }]); c?.state('done'); },
};

function note(text, level = '') { if (text) log.append(node('p', { className: 'note ' + level, dir: 'auto', textContent: text })); }

// drawMessage draws a message, or completes the one that was being streamed.
function drawMessage(id, m, streaming = false) {
  const before = messages.get(id);
  const drawn = before ?? { parts: [], blocks: [], remove() { for (const p of this.parts) p.remove(); } };
  const add = (el) => { const anchor = place(id); anchor ? anchor.before(el) : log.append(el); drawn.parts.push(el); };
  drawn.block ??= (index, kind) => {
    if (kind !== 'text' && kind !== 'thinking') return null;
    return (drawn.blocks[index] ??= kind === 'text' ? textBlock(add) : thoughtBlock(add));
  };
  messages.set(id, drawn);
  if (before && m.role !== 'assistant') return;
  if (m.role === 'user' && !m.synthetic) {
    const el = node('div', { className: 'user', dir: 'auto', textContent: m.content.filter((b) => b.type === 'text').map((b) => b.text).join('\n') });
    for (const b of m.content) if (b.type === 'image') el.append(image(b));
    add(el);
  } else if (m.role === 'assistant') {
    m.content.forEach((b, i) => {
      const block = drawn.block(i, b.type);
      if (block) { block.text = b.text ?? b.thinking ?? ''; dirty.delete(block); block.draw(!streaming); }
      else if (b.type === 'toolCall') { const c = card(b.id, b.name); c.arguments(b.arguments); }
    });
    if (m.stopReason === 'error' && m.errorMessage) add(node('p', { className: 'note error', dir: 'auto', textContent: m.errorMessage }));
  } else if (m.role === 'toolResult') {
    const c = card(m.toolCallId, m.toolName);
    c.output(m.content);
    if (!c.ended) c.state(m.isError ? 'failed' : 'done', m.isError);
    if (m.toolName === 'ask' && !m.isError) { const b = textBlock(add); b.text = m.content.map((x) => x.text ?? '').join('\n'); b.draw(true); }
  } else if (m.role === 'compactionSummary' || m.role === 'branchSummary') {
    add(node('details', { className: 'thought' }, node('summary', { textContent: 'Summary of what was before' }), node('div', { dir: 'auto', textContent: m.summary })));
  } else if (m.role === 'bashExecution') {
    const c = card('bash ' + id, '$ ' + m.command);
    c.output([{ type: 'text', text: m.output }]); c.state('done');
  } else if (m.role === 'custom' && m.display) {
    add(node('p', { className: 'note', dir: 'auto', textContent: m.content.map((b) => b.text ?? '').join('\n') }));
  }
}

// place is what a message that is drawn again stands before: the cards of the
// calls that it makes.
function place(id) { return log.querySelector(`[data-of="${CSS.escape(id)}"]`); }

function textBlock(add) {
  const md = new Markdown();
  add(md.el);
  return { text: '', draw(done) { md.draw(this.text, done); } };
}
function thoughtBlock(add) {
  const body = node('div', { dir: 'auto' });
  add(node('details', { className: 'thought' }, node('summary', { textContent: 'Thinking' }), body));
  return { text: '', draw() { body.textContent = this.text; } };
}

// Deltas are drawn once a frame.
const dirty = new Set();
function later(block) {
  if (!dirty.size) requestAnimationFrame(() => {
    const stick = nearEnd();
    for (const b of dirty) b.draw(false);
    dirty.clear();
    if (stick) toEnd();
  });
  dirty.add(block);
}

function image(b) { return /^image\/(png|jpeg|gif|webp)$/.test(b.mimeType) ? node('img', { className: 'shown', alt: 'image', src: `data:${b.mimeType};base64,${b.data}` }) : ''; }

// --- tool cards ---
const most = 20000; // characters shown of one output
const cut = (s) => (s.length > most ? s.slice(0, most) + '\n…' : s);

function card(id, name) {
  let c = cards.get(id);
  if (c) return c;
  const title = node('span', { className: 'name', textContent: name ?? 'tool' });
  const state = node('span', { className: 'state', textContent: 'waiting' });
  const args = node('div'), diff = node('div'), out = node('div');
  const el = node('details', { className: 'tool' }, node('summary', {}, title, state), args, diff, out);
  c = {
    el, ended: false,
    arguments(a) {
      if (a && Object.keys(a).length) args.replaceChildren(codeBlock(cut(JSON.stringify(a, null, 2))));
      const brief = a?.command ?? a?.path ?? a?.pattern ?? a?.url ?? a?.description;
      if (typeof brief === 'string') title.textContent = `${name} ${brief.split('\n')[0]}`;
    },
    title(t) { if (t) title.textContent = t; },
    diff(d) { if (d) { diff.replaceChildren(drawDiff(d)); args.replaceChildren(); } },
    output(content) {
      const text = (content ?? []).filter((b) => b.type === 'text').map((b) => b.text).join('\n');
      out.replaceChildren(...(text ? [codeBlock(cut(text))] : []), ...(content ?? []).filter((b) => b.type === 'image').map(image));
    },
    state(s, failed, ms) {
      this.ended = true;
      el.classList.add(failed || s === 'failed' ? 'failed' : 'done');
      state.textContent = (s === 'done' ? '✓' : '✗ ' + s) + (ms >= 1000 ? ` ${(ms / 1000).toFixed(1)} s` : '');
    },
    runs() { state.textContent = 'running…'; },
  };
  cards.set(id, c);
  log.append(el);
  return c;
}
function running(e) { const c = card(e.callId, e.name); c.arguments(e.arguments); c.title(e.title); c.diff(e.diff); c.runs(); }

function drawDiff(text) {
  const pre = node('pre', { className: 'diff', dir: 'ltr', tabIndex: 0 });
  for (const line of cut(text).split('\n')) {
    const kind = /^(\+\+\+|---|@@)/.test(line) ? 'hunk' : line[0] === '+' ? 'add' : line[0] === '-' ? 'del' : '';
    pre.append(node('span', { className: kind, textContent: line || ' ' }));
  }
  return pre;
}

let list = null;
function todos(phases) {
  const tasks = (phases ?? []).flatMap((p) => p.tasks ?? []);
  list?.remove(); list = null;
  if (!tasks.length) return;
  const mark = { completed: '✓', in_progress: '▸', abandoned: '✗' };
  list = node('p', { className: 'note', dir: 'auto', textContent: tasks.map((t) => `${mark[t.status] ?? '○'} ${t.content}`).join('\n') });
  log.append(list);
}

// --- questions ---
let asked = null;
function ask(q) {
  asked = q;
  const box = $('asking');
  const answer = async (fields) => {
    for (const b of box.querySelectorAll('button')) b.disabled = true;
    const r = await command('extension_ui_response', { question: q.id, ...fields });
    if (!r.success) { note(r.error, 'error'); for (const b of box.querySelectorAll('button')) b.disabled = false; }
  };
  const button = (label, fields, main) => {
    const b = node('button', { type: 'button', textContent: label, className: main ? 'main' : '' });
    b.addEventListener('click', () => answer(typeof fields === 'function' ? fields() : fields));
    return b;
  };
  box.replaceChildren(node('h2', { dir: 'auto', textContent: q.title }));
  const p = q.permission;
  if (p?.command && !q.title.includes(p.command)) box.append(node('pre', { dir: 'ltr', textContent: p.command }));
  if (p?.diff) box.append(drawDiff(p.diff));
  if (q.message) box.append(node('p', { dir: 'auto', textContent: q.message }));
  const row = node('div', { className: 'buttons' });
  if (q.kind === 'permission') {
    row.append(button('Deny', { choice: 'deny' }), button('Allow once', { choice: 'once' }, true));
    if (p?.rules?.length) row.append(button('Always: ' + p.rules.join(', '), { choice: 'always' }));
  } else if (q.kind === 'confirm') row.append(button('No', { confirmed: false }), button('Yes', { confirmed: true }, true));
  else if (q.kind === 'select') row.append(...(q.options ?? []).map((o) => button(o, { value: o })), button('Cancel', { cancelled: true }));
  else {
    const field = node(q.kind === 'editor' ? 'textarea' : 'input', { className: 'answer', dir: 'auto', value: q.prefill ?? '', placeholder: q.placeholder ?? '' });
    field.setAttribute('aria-label', q.title);
    box.append(field);
    row.append(button('Cancel', { cancelled: true }), button('OK', () => ({ value: field.value }), true));
  }
  box.append(row);
  box.hidden = false;
  if (document.hidden) document.title = '❓ Hoopoe';
}
function unask() { asked = null; $('asking').hidden = true; $('asking').replaceChildren(); setTitle(); }

// --- header, composer, drawer ---
function setBusy(on) {
  busy = on;
  $('stop').hidden = !on;
  light(on ? 'busy' : 'on', on ? 'working' : 'connected');
}
function setTitle() {
  const first = log.querySelector('.user')?.textContent;
  const title = view?.name || first?.slice(0, 80) || 'Hoopoe';
  $('title').textContent = title;
  document.title = title === 'Hoopoe' ? title : title + ' · Hoopoe';
  if (view) $('about').textContent = [view.model?.name, view.mode, view.cwd].filter(Boolean).join(' · ');
}

const nearEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 120;
const toEnd = () => { log.scrollTop = log.scrollHeight; };
log.addEventListener('scroll', () => { $('latest').hidden = nearEnd(); }, { passive: true });
$('latest').addEventListener('click', toEnd);

const text = $('text');
const grow = () => { text.style.height = 'auto'; text.style.height = Math.min(text.scrollHeight + 2, innerHeight * 0.4) + 'px'; };
text.addEventListener('input', () => { grow(); hints(); });
text.addEventListener('keydown', (e) => {
  if (e.key === 'Enter' && !e.shiftKey && !e.isComposing && matchMedia('(pointer: fine)').matches) { e.preventDefault(); $('composer').requestSubmit(); }
  if (e.key === 'Escape' && !$('hints').hidden) $('hints').hidden = true;
});
$('composer').addEventListener('submit', async (e) => {
  e.preventDefault();
  const message = text.value;
  if (!message.trim()) return;
  text.value = ''; grow(); $('hints').hidden = true;
  toEnd();
  const r = await command('prompt', { message, streamingBehavior: 'steer' });
  if (!r.success) { note(r.error, 'error'); if (!text.value) { text.value = message; grow(); } }
  else if (r.data?.reply) note(r.data.reply);
  else if (r.data?.disposition === 'queued') note('Waits for the end of this step: ' + message);
  toEnd();
});
$('stop').addEventListener('click', () => command('abort'));

let commands = null;
async function hints() {
  const typed = /^\/(\S*)$/.exec(text.value);
  const box = $('hints');
  if (!typed) { box.hidden = true; return; }
  commands ??= (await command('get_commands')).data ?? null;
  const fit = (commands ?? []).filter((c) => c.name.startsWith(typed[1].toLowerCase())).slice(0, 8);
  box.replaceChildren(...fit.map((c) => {
    const b = node('button', { type: 'button' }, '/' + c.name, node('small', { textContent: c.description }));
    b.addEventListener('click', () => { text.value = `/${c.name} `; box.hidden = true; text.focus(); });
    return node('li', {}, b);
  }));
  box.hidden = !fit.length;
}

function go(id) {
  session = id;
  $('drawer').hidden = true; $('menu').setAttribute('aria-expanded', 'false');
  tries = 0;
  const old = ws; ws = null; old?.close();
  connect();
}
$('fresh').addEventListener('click', () => go('new'));
$('menu').addEventListener('click', async () => {
  const open = $('drawer').hidden;
  $('drawer').hidden = !open;
  $('menu').setAttribute('aria-expanded', String(open));
  if (!open) return;
  const r = await command('list_sessions');
  $('sessions').replaceChildren(...(r.data ?? []).map((s) => {
    const b = node('button', { type: 'button', dir: 'auto' }, s.title || 'New session', node('small', { textContent: s.busy ? 'working' : s.open ? 'open' : new Date(s.modified).toLocaleString() }));
    if (s.id === session) b.setAttribute('aria-current', 'true');
    b.addEventListener('click', () => go(s.id));
    return node('li', {}, b);
  }));
});

connect();
