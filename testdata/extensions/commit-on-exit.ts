// Commits what the session has changed when it ends, under the last answer's
// first line.
// @capabilities exec
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  pi.on("session_shutdown", async (_event, ctx) => {
    const { stdout, code } = await pi.exec("git", ["status", "--porcelain"]);
    if (code !== 0 || stdout.trim() === "") return;
    let subject = "Work in progress";
    for (const entry of [...ctx.sessionManager.getEntries()].reverse()) {
      if (entry.type !== "message" || entry.message.role !== "assistant") continue;
      const text = entry.message.content.find((b: { type: string }) => b.type === "text") as { text: string } | undefined;
      if (text?.text) {
        subject = text.text.split("\n")[0].slice(0, 60);
        break;
      }
    }
    await pi.exec("git", ["add", "-A"]);
    const done = await pi.exec("git", ["commit", "-m", `[agent] ${subject}`]);
    if (done.code !== 0) pi.logger.warn("commit failed:", done.stderr);
  });
}
