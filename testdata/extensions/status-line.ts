// Shows what goes on in the status line, and the session's name as the title.
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  let turns = 0;
  const set = (ctx: ExtensionContext, text: string | undefined) => ctx.ui.setStatus("turns", text && ctx.ui.theme.fg("dim", text));

  pi.registerFlag("quiet-status", { description: "No status line of the extension", type: "boolean", default: false });

  pi.on("session_start", async (_event, ctx) => {
    if (pi.getFlag("--quiet-status")) return;
    set(ctx, "ready");
    ctx.ui.setTitle(pi.getSessionName() ?? ctx.cwd);
  });
  pi.on("turn_start", async (_event, ctx) => set(ctx, `turn ${++turns}`));
  pi.on("agent_end", async (_event, ctx) => {
    const usage = ctx.getContextUsage();
    set(ctx, `done after ${turns}${usage?.percent != null ? `, ${Math.round(usage.percent)} %` : ""}`);
  });
  pi.on("model_select", async (event, ctx) => set(ctx, event.model.id));
  pi.registerShortcut("ctrl+shift+k", { description: "Clear the status line", handler: async (ctx) => set(ctx, undefined) });
}
