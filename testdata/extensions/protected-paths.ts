// Keeps edits away from files that nobody should change by hand.
import * as path from "node:path";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

const names = [".env", "go.sum", "package-lock.json"];
const folders = ["node_modules", ".git"];

export default function (pi: ExtensionAPI) {
  pi.on("tool_call", (event, ctx) => {
    if (event.toolName !== "write" && event.toolName !== "edit") return undefined;
    const file = path.resolve(ctx.cwd, String(event.input.path ?? ""));
    const parts = path.relative(ctx.cwd, file).split(path.sep);
    const hit = names.includes(path.basename(file)) || parts.some((p) => folders.includes(p));
    if (!hit) return undefined;
    ctx.ui.notify(`Kept ${path.relative(ctx.cwd, file)} from being changed`, "warning");
    return { block: true, reason: `${path.basename(file)} is protected` };
  });
}
