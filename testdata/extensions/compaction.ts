// Writes the summary of a compaction itself: what the user has asked for, and
// the files that were touched.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  pi.on("session_before_compact", async (event, ctx) => {
    const { preparation, customInstructions, branchEntries } = event;
    const asked: string[] = [];
    const files = new Set<string>();
    for (const m of preparation.messagesToSummarize) {
      if (m.role === "user") asked.push(typeof m.content === "string" ? m.content : m.content.map((b) => ("text" in b ? b.text : "")).join(" "));
      if (m.role !== "assistant") continue;
      for (const b of m.content) if (b.type === "toolCall" && b.arguments.path) files.add(b.arguments.path);
    }
    if (customInstructions === "never") return { cancel: true };
    ctx.ui.notify(`Summarised ${preparation.messagesToSummarize.length} of ${branchEntries.length} entries`);
    return {
      compaction: {
        summary: ["The user asked for:", ...asked.map((a) => `- ${a}`), `Files: ${[...files].join(", ") || "none"}`].join("\n"),
        firstKeptEntryId: preparation.firstKeptEntryId,
        tokensBefore: preparation.tokensBefore,
        details: { files: [...files] },
      },
    };
  });
  pi.on("session_compact", (event, ctx) => ctx.ui.setStatus("compaction", event.fromExtension ? "own summary" : "summary"));
}
