// Adds a message of its own before the model begins, draws it, and sends others
// on command.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Text } from "@mariozechner/pi-tui";

export default function (pi: ExtensionAPI) {
  let told = 0;
  pi.on("before_agent_start", async (event) => ({
    message: { customType: "clock", content: `Prompt ${++told}: ${event.prompt.length} characters`, display: true, details: { told } },
    systemPrompt: `${event.systemPrompt}\nKeep it short.`,
  }));
  pi.registerMessageRenderer("clock", (message, { expanded }, theme) => {
    const text = typeof message.content === "string" ? message.content : message.content.map((b) => ("text" in b ? b.text : "")).join("");
    return new Text(theme.fg("accent", `* ${text}${expanded ? ` (${JSON.stringify(message.details)})` : ""}`), 0, 0);
  });
  pi.registerCommand("say", {
    description: "Send a message: /say now|later|next TEXT",
    getArgumentCompletions: (prefix) => {
      const found = ["now", "later", "next"].filter((v) => v.startsWith(prefix)).map((value) => ({ value, label: value }));
      return found.length ? found : null;
    },
    handler: async (args, ctx) => {
      const [when, ...words] = args.split(" ");
      const content = words.join(" ");
      if (when === "now") pi.sendUserMessage(content, ctx.isIdle() ? undefined : { deliverAs: "steer" });
      else if (when === "later") pi.sendUserMessage(content, { deliverAs: "followUp" });
      else pi.sendMessage({ customType: "clock", content, display: true }, { deliverAs: "nextTurn" });
      pi.appendEntry("said", { when, content });
    },
  });
}
