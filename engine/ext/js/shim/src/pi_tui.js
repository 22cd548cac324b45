// Components that render to lines of text, for what an extension draws.
const escapes = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g;
function cell(c) {
  const code = c.codePointAt(0);
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0x300 && code <= 0x36f)) return 0;
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) || (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd) ? 2 : 1;
}
function visibleWidth(text) {
  let n = 0;
  for (const c of text.replace(escapes, "").replace(/\t/g, "   ")) n += cell(c);
  return n;
}
// pieces are escape sequences and single characters, in order.
function* pieces(text) {
  let at = 0;
  for (const m of text.matchAll(escapes)) {
    yield* text.slice(at, m.index);
    yield m[0];
    at = m.index + m[0].length;
  }
  yield* text.slice(at);
}
const widthOf = (piece) => (piece.length > 1 && piece[0] === "\x1b" ? 0 : piece === "\t" ? 3 : cell(piece));
function truncateToWidth(text, width, ellipsis = "...", pad = false) {
  const full = visibleWidth(text);
  if (full <= width) return pad ? text + " ".repeat(width - full) : text;
  const room = Math.max(0, width - visibleWidth(ellipsis));
  let out = "", n = 0, full2 = false, styled = false;
  for (const p of pieces(text)) {
    const w = widthOf(p);
    if (p[0] === "\x1b") { styled = true; if (!full2) out += p; continue; }
    if (n + w > room) full2 = true;
    if (full2) continue;
    out += p;
    n += w;
  }
  out += (styled ? "\x1b[0m" : "") + (visibleWidth(ellipsis) <= width ? ellipsis : "");
  return pad ? out + " ".repeat(Math.max(0, width - visibleWidth(out))) : out;
}
function wrapTextWithAnsi(text, width) {
  width = Math.max(1, width);
  const out = [];
  for (const line of String(text).split("\n")) {
    let now = "", n = 0, style = "";
    const flush = () => { out.push((style ? now + "\x1b[0m" : now).trimEnd()); now = style; n = 0; };
    for (const token of line.split(/( +)/)) {
      const w = visibleWidth(token);
      if (n > 0 && n + w > width) {
        flush();
        if (token.trim() === "") continue;
      }
      for (const p of pieces(token)) {
        const one = widthOf(p);
        if (n + one > width && one) flush();
        now += p;
        n += one;
        if (p[0] === "\x1b" && p.endsWith("m")) style = /^\x1b\[0*m$/.test(p) ? "" : style + p;
      }
    }
    out.push(style ? now + "\x1b[0m" : now);
  }
  return out;
}

class Text {
  constructor(text = "", paddingX = 1, paddingY = 1, background) { Object.assign(this, { text, paddingX, paddingY, background }); }
  setText(text) { this.text = text; }
  invalidate() {}
  render(width) {
    if (!this.text || this.text.trim() === "") return [];
    const side = " ".repeat(this.paddingX), inner = Math.max(1, width - 2 * this.paddingX);
    const paint = (l) => { const full = l + " ".repeat(Math.max(0, width - visibleWidth(l))); return this.background ? this.background(full) : full; };
    const empty = Array.from({ length: this.paddingY }, () => paint(""));
    return [...empty, ...wrapTextWithAnsi(this.text.replace(/\t/g, "   "), inner).map((l) => paint(side + l + side)), ...empty];
  }
}
class TruncatedText extends Text {
  constructor(text, paddingX = 0, paddingY = 0) { super(text, paddingX, paddingY); }
  render(width) { return [truncateToWidth(" ".repeat(this.paddingX) + this.text.split("\n")[0], width, "...", true)]; }
}
class Markdown extends Text {
  constructor(text, paddingX = 1, paddingY = 1) { super(text, paddingX, paddingY); }
}
class Spacer {
  constructor(lines = 1) { this.lines = lines; }
  setLines(lines) { this.lines = lines; }
  invalidate() {}
  render() { return Array.from({ length: this.lines }, () => ""); }
}
class Container {
  children = [];
  addChild(child) { this.children.push(child); }
  removeChild(child) { this.children = this.children.filter((c) => c !== child); }
  clear() { this.children = []; }
  invalidate() { for (const c of this.children) c.invalidate?.(); }
  render(width) { return this.children.flatMap((c) => c.render(width)); }
}
class Box extends Container {
  constructor(paddingX = 1, paddingY = 1, background) { super(); Object.assign(this, { paddingX, paddingY, background }); }
  setBgFn(fn) { this.background = fn; }
  render(width) {
    const lines = super.render(Math.max(1, width - 2 * this.paddingX));
    if (!lines.length) return [];
    const paint = (l) => { const full = " ".repeat(this.paddingX) + l; const padded = full + " ".repeat(Math.max(0, width - visibleWidth(full))); return this.background ? this.background(padded) : padded; };
    const empty = Array.from({ length: this.paddingY }, () => paint(""));
    return [...empty, ...lines.map(paint), ...empty];
  }
}

const names = { escape: "\x1b", esc: "\x1b", enter: "\r", return: "\r", tab: "\t", space: " ", backspace: "\x7f", delete: "\x1b[3~", insert: "\x1b[2~", up: "\x1b[A", down: "\x1b[B", right: "\x1b[C", left: "\x1b[D", home: "\x1b[H", end: "\x1b[F", pageUp: "\x1b[5~", pageDown: "\x1b[6~" };
const Key = { ...Object.fromEntries(Object.keys(names).map((n) => [n, n])), ctrl: (k) => "ctrl+" + k, shift: (k) => "shift+" + k, alt: (k) => "alt+" + k, ctrlShift: (k) => "ctrl+shift+" + k, ctrlAlt: (k) => "ctrl+alt+" + k };
const lower = Object.fromEntries(Object.entries(names).map(([k, v]) => [k.toLowerCase(), v]));
function matchesKey(data, key) {
  const parts = String(key).toLowerCase().split("+"), base = parts.pop(), mods = new Set(parts);
  const plain = lower[base] ?? base;
  if (!mods.size) return data === plain || (base === "enter" && data === "\n") || (base === "backspace" && data === "\b");
  if (mods.size === 1 && mods.has("ctrl") && /^[a-z[\]\\]$/.test(base)) return data === String.fromCharCode(base.charCodeAt(0) & 31);
  if (mods.size === 1 && mods.has("alt")) return data === "\x1b" + plain;
  if (mods.size === 1 && mods.has("shift")) return base === "tab" ? data === "\x1b[Z" : /^[a-z]$/.test(base) && data === base.toUpperCase();
  const code = 1 + (mods.has("shift") ? 1 : 0) + (mods.has("alt") ? 2 : 0) + (mods.has("ctrl") ? 4 : 0);
  const csi = /^\x1b\[(\d*)([A-Z~])$/.exec(plain);
  return csi !== null && data === "\x1b[" + (csi[1] || "1") + ";" + code + csi[2];
}
Object.assign(exports, { Text, TruncatedText, Markdown, Spacer, Container, Box, Key, matchesKey, visibleWidth, truncateToWidth, wrapTextWithAnsi });
