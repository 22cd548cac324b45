// Two files and a package: what changes is told to other extensions.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { summary } from "./summary";

export default function (pi: ExtensionAPI) {
  pi.on("tool_result", async (event) => {
    if (event.toolName !== "write" && event.toolName !== "edit") return;
    pi.events.emit("files:changed", summary(event));
    return { details: { ...(event.details as object), announced: true } };
  });
  pi.events.on("files:changed", (data) => pi.logger.info("changed", data));
}
