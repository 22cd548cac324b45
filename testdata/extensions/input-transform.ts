// Short forms: "?text" asks for a short answer, "ping" is answered here, and
// what looks like a secret isn't sent at all.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  pi.on("input", async (event, ctx) => {
    if (event.source === "extension") return { action: "continue" };
    if (event.text === "ping") {
      ctx.ui.notify("pong");
      return { action: "handled" };
    }
    if (event.text.startsWith("?")) return { action: "transform", text: `Answer in one sentence: ${event.text.slice(1)}` };
    if (/sk-[a-z0-9]{20}/i.test(event.text)) return { block: true, reason: "There is a key in this message." };
    return { action: "continue" };
  });
}
