// Markdown as it streams: a text is cut into blocks; what is complete is drawn
// once, only the last block is drawn again. Nodes are built, never parsed from
// HTML, so a text can't become anything but text.

const node = (tag, props = {}, ...children) => {
  const n = Object.assign(document.createElement(tag), props);
  n.append(...children);
  return n;
};

export class Markdown {
  constructor() {
    this.el = node('div', { className: 'markdown' });
    this.done = 0;      // up to here the text is drawn for good
    this.last = [];     // nodes of the blocks that may still change
  }

  // draw shows a text that begins with the one drawn before.
  draw(text, finished = false) {
    if (!text.startsWith(this.drawn ?? '')) { this.el.replaceChildren(); this.last = []; this.done = 0; }
    this.drawn = text;
    for (const n of this.last) n.remove();
    this.last = [];
    const rest = blocks(text.slice(this.done));
    rest.forEach((block, i) => {
      const el = drawBlock(block);
      this.el.append(el);
      if (!finished && i === rest.length - 1) this.last.push(el);
      else this.done += block.length;
    });
  }
}

// blocks cuts a text at blank lines outside of fences; each keeps its line ends.
function blocks(text) {
  const out = [];
  let block = '', fence = null;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line);
    if (fence) {
      block += line;
      if (mark && mark[1][0] === fence[0] && mark[1].length >= fence.length && line.trim() === mark[1]) { out.push(block); block = ''; fence = null; }
    } else if (mark) {
      if (block.trim()) { out.push(block); block = ''; }
      block += line; fence = mark[1];
    } else if (!line.trim()) {
      block += line;
      if (block.trim()) { out.push(block); block = ''; }
    } else if (/^#{1,6} /.test(line) && block.trim()) {
      out.push(block); block = line;
    } else block += line;
  }
  if (block) out.push(block);
  return out;
}

function drawBlock(block) {
  const text = block.replace(/\s+$/, '').replace(/^\n+/, '');
  const fence = /^ {0,3}(`{3,}|~{3,})\s*([^\n`]*)\n?/.exec(text);
  if (fence) {
    let body = text.slice(fence[0].length);
    body = body.replace(new RegExp(`(^|\\n) {0,3}${fence[1][0]}{${fence[1].length},}$`), '');
    return codeBlock(body);
  }
  const heading = /^(#{1,6}) +([^\n]*)\n?([\s\S]*)$/.exec(text);
  if (heading) {
    const h = node('h' + Math.min(4, heading[1].length + 1), { dir: 'auto' }, ...inline(heading[2].replace(/ +#+$/, '')));
    return heading[3].trim() ? node('div', {}, h, drawBlock(heading[3])) : h;
  }
  if (/^ {0,3}([-*_])( *\1){2,}$/.test(text)) return node('hr');
  const lines = text.split('\n');
  if (lines.every((l) => /^ {0,3}>/.test(l))) return node('blockquote', { dir: 'auto' }, drawBlock(lines.map((l) => l.replace(/^ {0,3}> ?/, '')).join('\n')));
  if (lines.length > 1 && /\|/.test(lines[0]) && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[1])) return table(lines);
  if (/^\s*([-*+]|\d{1,9}[.)]) /.test(lines[0])) return list(lines);
  const at = lines.findIndex((l, i) => i > 0 && /^\s*([-*+]|\d{1,9}[.)]) /.test(l));
  if (at > 0) return node('div', {}, node('p', { dir: 'auto' }, ...inline(lines.slice(0, at).join('\n'))), list(lines.slice(at)));
  return node('p', { dir: 'auto' }, ...inline(text));
}

export function codeBlock(text) {
  const copy = node('button', { type: 'button', textContent: 'Copy' });
  copy.addEventListener('click', async () => {
    try { await navigator.clipboard.writeText(text); copy.textContent = 'Copied'; } catch { copy.textContent = 'Select the text to copy'; }
  });
  return node('div', { className: 'code' }, node('pre', { dir: 'ltr', tabIndex: 0 }, node('code', { textContent: text })), copy);
}

function list(lines) {
  const first = /^(\s*)([-*+]|\d{1,9}[.)]) /.exec(lines[0]);
  const ordered = /\d/.test(first[2]);
  const el = node(ordered ? 'ol' : 'ul', { dir: 'auto' });
  if (ordered) el.start = parseInt(first[2], 10);
  let item = null, inner = [];
  const close = () => {
    if (item === null) return;
    const li = node('li', { dir: 'auto' });
    const task = /^\[([ xX])\] /.exec(item);
    if (task) li.append(node('input', { type: 'checkbox', disabled: true, checked: task[1] !== ' ' }), ' ');
    li.append(...inline(task ? item.slice(4) : item));
    if (inner.length) {
      const cut = Math.min(...inner.filter((l) => l.trim()).map((l) => l.length - l.trimStart().length));
      li.append(drawBlock(inner.map((l) => l.slice(cut)).join('\n')));
    }
    el.append(li); inner = [];
  };
  for (const line of lines) {
    const m = /^(\s*)(?:[-*+]|\d{1,9}[.)]) (.*)$/.exec(line);
    if (m && m[1].length <= first[1].length + 1) { close(); item = m[2]; }
    else if (m || inner.length) inner.push(line);
    else item += '\n' + line.trim();
  }
  close();
  return el;
}

function table(lines) {
  const cells = (l) => l.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((c) => c.trim().replace(/\\\|/g, '|'));
  const row = (tag, l) => node('tr', {}, ...cells(l).map((c) => node(tag, { dir: 'auto' }, ...inline(c))));
  return node('div', { className: 'table', tabIndex: 0 }, node('table', {}, node('thead', {}, row('th', lines[0])), node('tbody', {}, ...lines.slice(2).map((l) => row('td', l)))));
}

const safe = (url) => /^(https?:|mailto:)/i.test(url);

// inline draws emphasis, code and links; what isn't closed stays as it is.
function inline(text, depth = 0) {
  const out = [];
  const push = (s) => { if (s) out.push(s); };
  const rule = /(`+)([\s\S]*?[^`])\1(?!`)|!?\[([^\]\n]*)\]\(([^()\s]+(?:\([^()\s]*\))?)(?: "[^"\n]*")?\)|\*\*(?=\S)([\s\S]*?\S)\*\*|~~(?=\S)([\s\S]*?\S)~~|\*(?=\S)([^*]*?\S)\*(?!\*)|(?<![\w_])_(?=\S)([^_]*?\S)_(?![\w_])|(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])|\\([\\`*_{}\[\]()#+\-.!|~>])/g;
  let at = 0;
  for (let m; (m = rule.exec(text)); at = rule.lastIndex) {
    push(text.slice(at, m.index));
    const deeper = (s) => (depth < 4 ? inline(s, depth + 1) : [s]);
    if (m[1]) out.push(node('code', { dir: 'ltr', textContent: m[2].trim() || m[2] }));
    else if (m[4] !== undefined) out.push(safe(m[4]) ? link(m[4], deeper(m[3] || m[4])) : m[0]);
    else if (m[5] !== undefined) out.push(node('strong', {}, ...deeper(m[5])));
    else if (m[6] !== undefined) out.push(node('del', {}, ...deeper(m[6])));
    else if (m[7] !== undefined) out.push(node('em', {}, ...deeper(m[7])));
    else if (m[8] !== undefined) out.push(node('em', {}, ...deeper(m[8])));
    else if (m[9] !== undefined) out.push(link(m[9], [m[9]]));
    else out.push(m[10]);
  }
  push(text.slice(at));
  return out.flatMap((s) => (typeof s === 'string' ? s.split('\n').flatMap((l, i) => (i ? [node('br'), l] : [l])) : [s]));
}

// link shows where it leads when its text says something else.
function link(url, children) {
  return node('a', { href: url, target: '_blank', rel: 'noopener noreferrer', title: url }, ...children);
}
