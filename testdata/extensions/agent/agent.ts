// An agent that is a module: options as in a YAML file, and a tool of its own.
export default {
  name: "reviewer",
  description: "Reviews what has changed",
  instructions: "You review changes. Measure before you judge.",
  permissions: { mode: "plan" },
  limits: { turns: 8 },
  tools: [
    "read",
    "grep",
    {
      name: "measure",
      description: "Count the lines of a text.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      needsApproval: true,
      async execute({ text }: { text: string }) {
        return { lines: text.split("\n").length };
      },
    },
  ],
};
