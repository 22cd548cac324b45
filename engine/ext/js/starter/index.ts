/// <reference path="./hoopoe.d.ts" />
// Check:  hoopoe extension check .
// Try:    hoopoe --extension .
// Keep:   put this folder into your extensions folder (hoopoe extension list
//         names it) or into .hoopoe/extensions of a project that you trust.
//
// What needs a capability has to state it, in package.json or in a comment like
// "@capabilities fs net exec env", and is asked about once.
import type { ExtensionAPI } from "hoopoe";
import { Type } from "@sinclair/typebox";

export default function (pi: ExtensionAPI) {
  // Something that the model can call.
  pi.registerTool({
    name: "greet",
    label: "Greet",
    description: "Greet somebody by name.",
    parameters: Type.Object({ name: Type.String({ description: "whom to greet" }) }),
    async execute(_toolCallId, params, _signal, onUpdate) {
      onUpdate?.({ content: [{ type: "text", text: "thinking of something nice" }] });
      return { content: [{ type: "text", text: `Hello, ${params.name}!` }], details: {} };
    },
  });

  // Something that the user can type: /hello.
  pi.registerCommand("hello", {
    description: "Say hello",
    handler: async (args, ctx) => ctx.ui.notify(`Hello ${args || "world"}!`, "info"),
  });

  // A say in what happens.
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash" || !/\brm\b/.test(String(event.input.command))) return;
    const ok = await ctx.ui.confirm("Delete?", String(event.input.command));
    if (!ok) return { block: true, reason: "The user wants to keep it." };
  });
}
