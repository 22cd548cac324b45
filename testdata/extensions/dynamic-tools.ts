// Registers tools while the session runs, and hides others.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";

export default function (pi: ExtensionAPI) {
  const make = (name: string) =>
    pi.registerTool({
      name,
      label: name,
      description: `Echo, prefixed with ${name}.`,
      parameters: Type.Object({ text: Type.String() }),
      async execute(_id, params) {
        return { content: [{ type: "text", text: `${name}: ${params.text}` }], details: {} };
      },
    });
  pi.on("session_start", async () => make("echo_start"));
  pi.registerCommand("add-tool", {
    description: "Register a tool by name",
    handler: async (args, ctx) => {
      const name = args.trim();
      if (pi.getAllTools().some((t) => t.name === name)) return ctx.ui.notify(`${name} is there already`, "error");
      make(name);
      ctx.ui.notify(`Registered ${name}`);
    },
  });
  pi.registerCommand("read-only", {
    description: "Leave only tools that read",
    handler: async () => pi.setActiveTools(pi.getActiveTools().filter((t) => ["read", "grep", "find", "ls"].includes(t))),
  });
}
