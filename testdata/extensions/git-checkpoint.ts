// Keeps a stash of the working tree at every turn, and offers to go back to it
// when the user branches off there.
// @capabilities exec
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  const kept = new Map<string, string>(); // entry -> commit of the stash

  pi.on("turn_start", async (event, ctx) => {
    const { stdout, code } = await pi.exec("git", ["stash", "create"], { timeout: 5000 });
    const leaf = ctx.sessionManager.getLeafId();
    if (code !== 0 || !stdout.trim() || !leaf) return;
    kept.set(leaf, stdout.trim());
    pi.setLabel(leaf, `checkpoint ${event.turnIndex}`);
  });

  pi.on("session_before_fork", async (event, ctx) => {
    const commit = kept.get(event.entryId);
    if (!commit || !ctx.hasUI) return;
    const choice = await ctx.ui.select("Bring the files back too?", ["Yes", "No, only the conversation", "Cancel"]);
    if (choice === "Cancel" || choice === undefined) return { cancel: true };
    if (choice === "Yes") await pi.exec("git", ["stash", "apply", commit]);
  });

  pi.on("agent_end", async () => kept.clear());
}
