// Hears of changed files from another extension, and guards the user's own
// commands and requests in the names of the other family.
import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  const changed: string[] = [];
  pi.events.on("files:changed", (data) => {
    changed.push((data as { path: string }).path);
  });
  pi.on("user_bash", (event) => (event.command === "uptime" ? { result: { output: "up for ever", exitCode: 0, cancelled: false, truncated: false } } : undefined));
  pi.on("session_before_branch", (event, ctx) => ctx.ui.confirm("Branch?", `From ${event.entryId}`).then((yes) => ({ cancel: !yes })));
  pi.on("session.compacting", () => ({ context: changed.length ? [`Changed: ${changed.join(", ")}`] : [], preserveData: { changed } }));
  pi.on("input", (event) => (event.text === "what changed?" ? { handled: false, text: `Tell about ${changed.join(" and ") || "nothing"}` } : undefined));
}
