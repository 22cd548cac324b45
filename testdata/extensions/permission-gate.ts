// Asks before a command that is hard to undo.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { isToolCallEventType } from "@mariozechner/pi-coding-agent";

const risky: [RegExp, string][] = [
  [/\brm\s+(-\w*[rf]\w*\s+)+/, "deletes for good"],
  [/\bgit\s+push\b.*(--force|-f)\b/, "rewrites what others have"],
  [/\bsudo\b/, "runs as another user"],
];

export default function (pi: ExtensionAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (!isToolCallEventType("bash", event)) return;
    const found = risky.find(([pattern]) => pattern.test(event.input.command));
    if (!found) return;
    if (!ctx.hasUI) return { block: true, reason: `It ${found[1]}, and nobody can be asked.` };
    const choice = await ctx.ui.select(`This command ${found[1]}: ${event.input.command}`, ["Run it", "Don't"]);
    if (choice !== "Run it") return { block: true, reason: "The user said no." };
  });
}
