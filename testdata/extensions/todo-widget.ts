// A list of tasks that the model keeps and the user sees above the editor. Its
// state lives in the results of the tool, so that it follows the branch.
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { StringEnum } from "@mariozechner/pi-ai";
import { Type } from "@sinclair/typebox";

interface Task { text: string; done: boolean }

export default function (pi: ExtensionAPI) {
  let tasks: Task[] = [];

  const show = (ctx: ExtensionContext) => {
    const rows = tasks.map((t, i) => `${t.done ? "[x]" : "[ ]"} ${i + 1}. ${t.text}`);
    ctx.ui.setWidget("tasks", rows.length ? [ctx.ui.theme.bold("Tasks"), ...rows] : undefined);
    ctx.ui.setStatus("tasks", rows.length ? `${tasks.filter((t) => t.done).length}/${tasks.length}` : undefined);
  };
  const restore = (ctx: ExtensionContext) => {
    tasks = [];
    for (const entry of ctx.sessionManager.getBranch()) {
      if (entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolName === "tasks") {
        tasks = entry.message.details?.tasks ?? [];
      }
    }
    show(ctx);
  };

  pi.on("session_start", async (_event, ctx) => restore(ctx));
  pi.on("session_switch", async (_event, ctx) => restore(ctx));
  pi.on("session_tree", async (_event, ctx) => restore(ctx));

  pi.registerTool({
    name: "tasks",
    label: "Tasks",
    description: "Keep a list of tasks: add one, or mark one as done.",
    promptSnippet: "keep a list of tasks",
    parameters: Type.Object({
      action: StringEnum(["add", "done", "list"] as const),
      text: Type.Optional(Type.String({ description: "of a new task" })),
      number: Type.Optional(Type.Integer({ description: "of the task that is done, from 1" })),
    }),
    async execute(_id, params, _signal, _onUpdate, ctx) {
      if (params.action === "add" && params.text) tasks = [...tasks, { text: params.text, done: false }];
      if (params.action === "done") {
        const at = (params.number ?? 0) - 1;
        if (!tasks[at]) throw new Error(`there is no task ${params.number}`);
        tasks = tasks.map((t, i) => (i === at ? { ...t, done: true } : t));
      }
      show(ctx);
      const text = tasks.map((t, i) => `${i + 1}. ${t.text}${t.done ? " (done)" : ""}`).join("\n") || "no tasks";
      return { content: [{ type: "text", text }], details: { tasks } };
    },
  });

  pi.registerCommand("tasks", {
    description: "Show the tasks",
    handler: async (_args, ctx) => ctx.ui.notify(tasks.map((t) => t.text).join(", ") || "No tasks", "info"),
  });
}
