// A tool with which the model asks the user, and a command that shows each kind
// of dialog.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";

export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: "question",
    label: "Question",
    description: "Ask the user to choose.",
    parameters: Type.Object({ question: Type.String(), options: Type.Array(Type.String(), { minItems: 1 }) }),
    async execute(_id, params, signal, _onUpdate, ctx) {
      if (!ctx.hasUI) return { content: [{ type: "text", text: "Nobody is there to ask." }], details: { answer: null } };
      const answer = await ctx.ui.select(params.question, params.options, { signal });
      const text = answer === undefined ? "The user didn't choose." : `The user chose: ${answer}`;
      return { content: [{ type: "text", text }], details: { answer: answer ?? null } };
    },
  });

  pi.registerCommand("survey", {
    description: "Ask a few things",
    handler: async (_args, ctx) => {
      const colour = await ctx.ui.select("Which colour?", ["red", "green", "蓝色", "أزرق"]);
      const sure = await ctx.ui.confirm("Sure?", `You chose ${colour}.`);
      const name = await ctx.ui.input("Your name?", "a name");
      const story = await ctx.ui.editor("Tell more", "Once upon a time");
      ctx.ui.notify(`${colour}, ${sure}, ${name}, ${story}`);
    },
  });
}
