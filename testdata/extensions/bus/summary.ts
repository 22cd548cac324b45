export interface Change { tool: string; path: string; ok: boolean }

export function summary(event: { toolName: string; input: Record<string, unknown>; isError: boolean }): Change {
  return { tool: event.toolName, path: String(event.input.path ?? ""), ok: !event.isError };
}
