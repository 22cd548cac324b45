// A tool that takes its time, says how far it is, and can be stopped.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";

const wait = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((done, failed) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      failed(new Error("stopped"));
    });
  });

export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: "countdown",
    label: "Countdown",
    description: "Count down to zero.",
    parameters: Type.Object({ from: Type.Integer({ minimum: 1, maximum: 100 }), ms: Type.Optional(Type.Number()) }),
    async execute(_id, { from, ms = 5 }, signal, onUpdate) {
      for (let left = from; left > 0; left--) {
        onUpdate?.({ content: [{ type: "text", text: `${left} left` }], details: { left } });
        await wait(ms, signal);
      }
      return { content: [{ type: "text", text: `counted ${from}` }], details: { from } };
    },
  });
}
