const bytes = (s) => native.decode(s, "utf8").byteLength;
const DEFAULT_MAX_BYTES = 50 * 1024, DEFAULT_MAX_LINES = 2000, GREP_MAX_LINE_LENGTH = 500;

function formatSize(n) {
  if (n < 1024) return n + "B";
  return n < 1024 * 1024 ? (n / 1024).toFixed(1) + "KB" : (n / 1024 / 1024).toFixed(1) + "MB";
}

// truncate keeps whole lines from one end, within both limits.
function truncate(content, options, fromEnd) {
  const maxBytes = options?.maxBytes ?? DEFAULT_MAX_BYTES, maxLines = options?.maxLines ?? DEFAULT_MAX_LINES;
  const lines = content.split("\n"), totalBytes = bytes(content);
  const result = (kept, by, partial, first) => {
    const text = kept.join("\n");
    return {
      content: text, truncated: by !== null, truncatedBy: by, totalLines: lines.length, totalBytes,
      outputLines: kept.length, outputBytes: bytes(text), lastLinePartial: partial, firstLineExceedsLimit: first, maxLines, maxBytes,
    };
  };
  if (lines.length <= maxLines && totalBytes <= maxBytes) return result(lines, null, false, false);
  const kept = [];
  let size = 0, by = "lines";
  for (const line of fromEnd ? [...lines].reverse() : lines) {
    if (kept.length === maxLines) break;
    const more = bytes(line) + (kept.length ? 1 : 0);
    if (size + more > maxBytes) {
      by = "bytes";
      break;
    }
    size += more;
    kept.push(line);
  }
  if (fromEnd) kept.reverse();
  if (kept.length || by === "lines") return result(kept, by, false, false);
  if (!fromEnd) return result([], "bytes", false, true);
  const all = new Uint8Array(native.decode(lines[lines.length - 1], "utf8"));
  let start = all.length - maxBytes;
  while (start < all.length && (all[start] & 0xc0) === 0x80) start++;
  return result([native.encode(all.subarray(start), "utf8")], "bytes", true, false);
}
const isToolCallEventType = (name, event) => event?.toolName === name;
const isToolResult = (name) => (event) => event?.toolName === name;

Object.assign(exports, {
  DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, GREP_MAX_LINE_LENGTH, formatSize,
  truncateHead: (content, options) => truncate(content, options, false),
  truncateTail: (content, options) => truncate(content, options, true),
  truncateLine: (line, max = GREP_MAX_LINE_LENGTH) => (line.length <= max ? { text: line, wasTruncated: false } : { text: line.slice(0, max) + "... [truncated]", wasTruncated: true }),
  isToolCallEventType,
  getAgentDir: () => native.agentDir(),
  defineTool: (tool) => tool,
  keyHint: (key, text) => key + " " + text,
  rawKeyHint: (key, text) => key + " " + text,
  VERSION: "0.0.0",
  Type: require("typebox").Type,
});
for (const name of ["bash", "read", "edit", "write", "grep", "find", "ls"])
  exports["is" + name[0].toUpperCase() + name.slice(1) + "ToolResult"] = isToolResult(name);
