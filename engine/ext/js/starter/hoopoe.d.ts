// Types of what an extension is given. They are for your editor alone: Hoopoe
// runs the file without looking at types.

declare module "hoopoe" {
  // ---- what messages are made of --------------------------------------------

  export interface TextContent { type: "text"; text: string }
  export interface ImageContent { type: "image"; data: string; mimeType: string }
  export interface ThinkingContent { type: "thinking"; thinking: string }
  export interface ToolCall { type: "toolCall"; id: string; name: string; arguments: Record<string, any> }
  export type Content = string | (TextContent | ImageContent)[];

  export interface Usage {
    input: number; output: number; cacheRead: number; cacheWrite: number; totalTokens: number;
    cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
  }
  export interface UserMessage { role: "user" | "developer"; content: Content; timestamp: number }
  export interface AssistantMessage {
    role: "assistant"; content: (TextContent | ThinkingContent | ToolCall)[]; timestamp: number;
    api: string; provider: string; model: string; usage: Usage;
    stopReason: "stop" | "length" | "toolUse" | "error" | "aborted" | "refusal"; errorMessage?: string;
  }
  export interface ToolResultMessage {
    role: "toolResult"; toolCallId: string; toolName: string; content: (TextContent | ImageContent)[];
    details?: any; isError: boolean; timestamp: number;
  }
  export interface CustomMessage { role: "custom"; customType: string; content: Content; display: boolean; details?: any; timestamp: number }
  export interface BashMessage { role: "bashExecution"; command: string; output: string; exitCode?: number; cancelled: boolean; truncated: boolean; timestamp: number }
  export interface SummaryMessage { role: "branchSummary" | "compactionSummary"; summary: string; timestamp: number }
  export type AgentMessage = UserMessage | AssistantMessage | ToolResultMessage | CustomMessage | BashMessage | SummaryMessage;

  export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
  export interface Model { provider: string; id: string; name: string; contextWindow: number; reasoning: boolean; levels?: ThinkingLevel[]; input: ("text" | "image")[] }

  /** One line of a session's file. */
  export interface SessionEntry { id: string; parentId: string | null; type: string; timestamp: string; [field: string]: any }
  export interface SessionTreeNode { entry: SessionEntry; children: SessionTreeNode[]; label?: string }

  // ---- ctx ------------------------------------------------------------------

  export interface DialogOptions {
    /** Takes the dialog away. */
    signal?: AbortSignal;
    /** Milliseconds after which the default is the answer. */
    timeout?: number;
    onTimeout?(): void;
  }
  /** Something that draws itself as lines. */
  export interface Component { render(width: number): string[]; dispose?(): void }
  /** Colours nothing: the screen does. Its functions return their text. */
  export interface Theme {
    readonly name: string;
    fg(color: string, text: string): string;
    bg(color: string, text: string): string;
    bold(text: string): string;
    dim(text: string): string;
    italic(text: string): string;
    underline(text: string): string;
    inverse(text: string): string;
    strikethrough(text: string): string;
  }
  export interface UI {
    /** undefined when nobody chose. */
    select(title: string, options: (string | { label: string; description?: string })[], o?: DialogOptions): Promise<string | undefined>;
    /** false when nobody answered. */
    confirm(title: string, message: string, o?: DialogOptions): Promise<boolean>;
    input(title: string, placeholder?: string, o?: DialogOptions): Promise<string | undefined>;
    editor(title: string, prefill?: string, o?: { signal?: AbortSignal }): Promise<string | undefined>;
    notify(message: string, level?: "info" | "warning" | "error"): void;
    /** undefined takes it away. */
    setStatus(key: string, text: string | undefined): void;
    setWidget(key: string, content: string[] | ((tui: { requestRender(): void }, theme: Theme) => Component) | undefined, o?: { placement?: "aboveEditor" | "belowEditor" }): void;
    setTitle(title: string): void;
    setEditorText(text: string): void;
    pasteToEditor(text: string): void;
    /** Always empty: what the user is writing isn't an extension's to read. */
    getEditorText(): string;
    readonly theme: Theme;
  }

  export interface SessionManager {
    getEntries(): SessionEntry[];
    /** The entries from the first to the last one, or to another. */
    getBranch(from?: string): SessionEntry[];
    getLeafId(): string | null;
    getLeafEntry(): SessionEntry | undefined;
    getEntry(id: string): SessionEntry | undefined;
    getChildren(id: string): SessionEntry[];
    getLabel(id: string): string | undefined;
    getTree(): SessionTreeNode[];
    getHeader(): Record<string, any> | null;
    getSessionId(): string;
    getSessionFile(): string | undefined;
    getSessionDir(): string | undefined;
    getSessionName(): string | undefined;
    getCwd(): string;
    /** What the model is sent now. */
    buildSessionContext(): { messages: AgentMessage[]; thinkingLevel: ThinkingLevel; model: { provider: string; modelId: string } };
  }
  export interface ModelRegistry {
    getAll(): Model[];
    getAvailable(): Model[];
    find(provider: string, id: string): Model | undefined;
  }
  export interface ContextUsage { tokens: number | null; contextWindow: number; percent: number | null }

  export interface ExtensionContext {
    readonly ui: UI;
    /** Whether somebody can answer a dialog. */
    readonly hasUI: boolean;
    readonly cwd: string;
    readonly sessionManager: SessionManager;
    readonly modelRegistry: ModelRegistry;
    readonly model: Model | undefined;
    /** Ends when the session doesn't wait for this handler any more. */
    readonly signal: AbortSignal;
    isIdle(): boolean;
    hasPendingMessages(): boolean;
    abort(): void;
    /** Ends the program when it has nothing to do. */
    shutdown(): void;
    getContextUsage(): ContextUsage | undefined;
    getSystemPrompt(): string;
    /** In a handler it begins when the handler is over. */
    compact(options?: { customInstructions?: string; onComplete?(result: { summary: string } | undefined): void; onError?(error: Error): void }): Promise<unknown>;
  }
  /** Of commands alone, which the user runs. */
  export interface ExtensionCommandContext extends ExtensionContext {
    waitForIdle(): Promise<void>;
    newSession(options?: { parentSession?: string }): Promise<{ cancelled: boolean }>;
    switchSession(path: string): Promise<{ cancelled: boolean }>;
    branch(entryId: string): Promise<{ cancelled: boolean }>;
    fork(entryId: string): Promise<{ cancelled: boolean }>;
    navigateTree(entryId: string, options?: { summarize?: boolean; customInstructions?: string; label?: string }): Promise<{ cancelled: boolean }>;
    /** Loads extensions, skills and rules again, this one too. */
    reload(): Promise<void>;
  }

  // ---- tools ----------------------------------------------------------------

  /** A JSON Schema, as TypeBox makes it. */
  export interface Schema { [keyword: string]: any }
  export interface ToolResult { content: Content; details?: any; isError?: boolean }
  export interface ToolDefinition {
    /** Letters, digits, - and _. */
    name: string;
    label?: string;
    /** For the model. */
    description: string;
    /** One line for the system prompt's list of tools. */
    promptSnippet?: string;
    parameters?: Schema;
    /** Ask the user about each call. */
    needsApproval?: boolean;
    hidden?: boolean;
    /** What it throws is the model's to read. */
    execute(toolCallId: string, params: any, signal: AbortSignal, onUpdate: (partial: ToolResult) => void, ctx: ExtensionContext): Promise<ToolResult | string> | ToolResult | string;
  }

  // ---- events ---------------------------------------------------------------

  type AssistantMessageEvent =
    | { type: "text_start" | "thinking_start" | "toolcall_start"; contentIndex: number; partial: AssistantMessage }
    | { type: "text_delta" | "thinking_delta" | "toolcall_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
    | { type: "text_end" | "thinking_end"; contentIndex: number; content: string; partial: AssistantMessage }
    | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall; partial: AssistantMessage };

  /** event: [what a handler is told, what it may return] */
  export interface Events {
    resources_discover: [{ cwd: string; reason: "startup" | "reload" }, { skillPaths?: string[]; promptPaths?: string[]; themePaths?: string[] }];
    session_start: [{ reason: string }, void];
    session_shutdown: [{}, void];
    session_before_switch: [{ reason: "new" | "resume" | "fork"; targetSessionFile?: string }, { cancel?: boolean }];
    session_switch: [{ reason: "new" | "resume" | "fork"; previousSessionFile?: string }, void];
    session_before_branch: [{ entryId: string }, { cancel?: boolean }];
    session_before_fork: [{ entryId: string }, { cancel?: boolean }];
    session_branch: [{ previousSessionFile?: string }, void];
    session_fork: [{ previousSessionFile?: string }, void];
    session_before_compact: [
      {
        reason: string; customInstructions?: string; branchEntries: SessionEntry[]; signal: AbortSignal;
        preparation: { firstKeptEntryId: string; tokensBefore: number; previousSummary?: string; messagesToSummarize: AgentMessage[]; turnPrefixMessages: AgentMessage[]; isSplitTurn: boolean };
      },
      { cancel?: boolean; compaction?: { summary: string; firstKeptEntryId?: string; tokensBefore?: number; details?: any } },
    ];
    "session.compacting": [{ sessionId: string; messages: AgentMessage[] }, { context?: string[]; prompt?: string; preserveData?: any }];
    session_compact: [{ compactionEntry?: SessionEntry; fromExtension: boolean }, void];
    session_before_tree: [
      { signal: AbortSignal; preparation: { targetId: string; oldLeafId: string; commonAncestorId: string | null; entriesToSummarize: SessionEntry[]; userWantsSummary: boolean; customInstructions?: string } },
      { cancel?: boolean; summary?: { summary: string; details?: any } },
    ];
    session_tree: [{ newLeafId: string; oldLeafId: string; summaryEntry?: SessionEntry }, void];
    input: [
      { text: string; images?: ImageContent[]; source: "interactive" | "rpc" | "extension" },
      { action?: "continue" | "transform" | "handled"; handled?: boolean; text?: string; images?: ImageContent[]; block?: boolean; reason?: string },
    ];
    before_agent_start: [
      { prompt: string; images?: ImageContent[]; systemPrompt: string },
      { message?: { customType: string; content: Content; display: boolean; details?: any }; systemPrompt?: string; block?: boolean; reason?: string },
    ];
    context: [{ messages: AgentMessage[] }, { messages?: AgentMessage[] }];
    before_provider_request: [{ payload: any }, any];
    /** input may also be changed in place. A handler that throws blocks the call. */
    tool_call: [{ toolName: string; toolCallId: string; input: Record<string, any> }, { block?: boolean; reason?: string; input?: Record<string, any> }];
    tool_result: [
      { toolName: string; toolCallId: string; input: Record<string, any>; content: (TextContent | ImageContent)[]; details?: any; isError: boolean },
      { content?: Content; details?: any; isError?: boolean },
    ];
    user_bash: [{ command: string; excludeFromContext: boolean; cwd: string }, { result?: { output: string; exitCode?: number; cancelled?: boolean; truncated?: boolean } }];
    agent_start: [{}, void];
    agent_end: [{ messages: AgentMessage[]; willRetry: boolean }, void];
    agent_settled: [{ aborted: boolean }, void];
    turn_start: [{ turnIndex: number }, void];
    turn_end: [{ turnIndex: number; message: AssistantMessage; toolResults: ToolResultMessage[] }, void];
    message_start: [{ message: AgentMessage }, void];
    message_update: [{ message: AssistantMessage; assistantMessageEvent: AssistantMessageEvent }, void];
    message_end: [{ message: AgentMessage }, void];
    tool_execution_start: [{ toolCallId: string; toolName: string; args: Record<string, any> }, void];
    tool_execution_update: [{ toolCallId: string; toolName: string; args: Record<string, any>; partialResult: { content: (TextContent | ImageContent)[]; details?: any } }, void];
    tool_execution_end: [{ toolCallId: string; toolName: string; result: { content: (TextContent | ImageContent)[]; details?: any }; isError: boolean }, void];
    auto_compaction_start: [{ reason: "threshold" | "overflow"; action: string }, void];
    auto_compaction_end: [{ action: string; result?: { summary: string }; aborted: boolean; willRetry: boolean; errorMessage?: string }, void];
    auto_retry_start: [{ attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }, void];
    auto_retry_end: [{ success: boolean; attempt: number; finalError?: string }, void];
    ttsr_triggered: [{ rules: { name: string; path: string; content: string }[] }, void];
    todo_reminder: [{ todos: { id: string; content: string; status: string }[]; attempt: number; maxAttempts: number }, void];
    todo_auto_clear: [{}, void];
    model_select: [{ model: Model; previousModel?: Model; source: string }, void];
    thinking_level_select: [{ level: ThinkingLevel; previousLevel?: ThinkingLevel }, void];
  }

  // ---- pi -------------------------------------------------------------------

  export interface ExtensionAPI {
    /** Calls handler at an event. Handlers of one event run one after the other. Returns how to take it back. */
    on<E extends keyof Events>(event: E, handler: (event: Events[E][0] & { type: E }, ctx: ExtensionContext) => Promise<Events[E][1] | undefined | void> | Events[E][1] | undefined | void): () => void;

    registerTool(tool: ToolDefinition): void;
    registerCommand(name: string, options: {
      description?: string;
      getArgumentCompletions?(prefix: string): { value: string; label?: string; description?: string }[] | null | Promise<{ value: string; label?: string; description?: string }[] | null>;
      handler(args: string, ctx: ExtensionCommandContext): Promise<unknown> | unknown;
    }): void;
    /** A key such as "ctrl+shift+k". */
    registerShortcut(key: string, options: { description?: string; handler(ctx: ExtensionContext): Promise<unknown> | unknown }): void;
    /** An argument of the command line: --name, or --name=value. */
    registerFlag(name: string, options: { description?: string; type: "boolean" | "string"; default?: boolean | string }): void;
    getFlag(name: string): boolean | string | undefined;
    /** Draws messages of a type of your own in the chat. */
    registerMessageRenderer(customType: string, draw: (message: CustomMessage, options: { expanded: boolean; width: number }, theme: Theme) => Component | string | string[] | undefined): void;

    sendMessage(message: { customType: string; content: Content; display: boolean; details?: any }, options?: { triggerTurn?: boolean; deliverAs?: "steer" | "followUp" | "nextTurn" }): void;
    sendUserMessage(content: Content, options?: { deliverAs?: "steer" | "followUp" }): void;
    /** Keeps data in the session's file, out of the model's sight. */
    appendEntry(customType: string, data?: any): void;
    setLabel(entryId: string, label: string | undefined): void;
    /** Runs a program. Needs the capability exec. */
    exec(command: string, args?: string[], options?: { signal?: AbortSignal; timeout?: number; cwd?: string; env?: Record<string, string>; input?: string }): Promise<{ stdout: string; stderr: string; code: number; killed: boolean }>;

    getActiveTools(): string[];
    getAllTools(): { name: string; label?: string; description: string; parameters?: Schema }[];
    setActiveTools(names: string[]): void;
    getCommands(): { name: string; description?: string; source: string; path?: string }[];
    /** false when there is no key for it. */
    setModel(model: { provider: string; id: string }): Promise<boolean>;
    getThinkingLevel(): ThinkingLevel;
    setThinkingLevel(level: ThinkingLevel): void;
    getSessionName(): string | undefined;
    setSessionName(name: string): void;

    /** Between the extensions of one session. Data goes as JSON. */
    readonly events: { emit(channel: string, data?: unknown): void; on(channel: string, handler: (data: unknown) => unknown): () => void };
    readonly logger: Record<"debug" | "info" | "warn" | "error", (...args: unknown[]) => void>;
    readonly typebox: any;
  }

  /** What a module exports by default to be an agent, for --agent and acp. */
  export interface Agent {
    name?: string;
    description?: string;
    instructions: string;
    model?: string;
    thinking?: ThinkingLevel;
    /** The only tools: names, or tools of its own. */
    tools?: (string | { name: string; needsApproval?: boolean } | AgentTool)[];
    permissions?: { mode?: "plan" | "ask" | "edit" | "full"; allow?: string[]; ask?: string[]; deny?: string[] };
    limits?: { turns?: number; output_tokens?: number; total_tokens?: number; cost_usd?: number; seconds?: number };
    mcpServers?: Record<string, any>;
    extensions?: string[];
    skills?: string[];
  }
  export interface AgentTool {
    name: string;
    description: string;
    parameters?: Schema;
    needsApproval?: boolean;
    /** A value that is no result is told to the model as JSON. */
    execute(params: any, call: { toolCallId: string; signal: AbortSignal; onUpdate(partial: ToolResult): void; ctx: ExtensionContext }): unknown;
  }
}
