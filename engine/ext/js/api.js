// The extension's side of the door: what a module's default export gets as its
// parameter, and what the Go side calls. It is an expression: a func of `host`,
// which is the Go side, evaluated once per runtime.
//
// Everything between the two sides is JSON, text on the way out and made into
// values by the Go side on the way in, so no object of one runtime is ever seen
// by another goroutine. `call` is the number of the Go call that a
// handler works for; the Go side knows its context for as long as it runs.
(function (host) {
  "use strict";

  const text = (v) => (v === undefined ? undefined : JSON.stringify(v));
  const get = (call, method, args) => host.get(call, method, text(args));
  const noop = () => {};

  // ask is get for what takes long. Its promise is the Go side's answer; the
  // signal ends it early.
  let tokens = 0;
  async function ask(call, method, args, signal) {
    const token = ++tokens;
    const cancel = () => host.cancel(token);
    const answer = host.ask(call, method, text(args), token);
    if (!signal) return answer;
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel);
    try {
      return await answer;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  // tell is ask for what a handler doesn't wait for.
  const tell = (call, method, args) => void ask(call, method, args).catch((e) => host.failed(method, describe(e)));

  // describe is an error in one line, with the place when the engine knows it.
  function describe(e) {
    if (e === null || typeof e !== "object") return String(e);
    const what = e.message ? (e.name && e.name !== "Error" ? e.name + ": " : "") + e.message : String(e);
    const place = /\bat (?:[^\n(]*\()?([^\s()]+:\d+:\d+)/.exec(String(e.stack || ""));
    return place && !place[1].startsWith("hoopoe:") ? what + " (" + place[1] + ")" : what;
  }

  function need(kind, v, what) {
    if (typeof v !== kind || v === "") throw new TypeError(what + " must be a " + kind);
    return v;
  }

  // ---- handlers -----------------------------------------------------------

  // Both families' names of one event share a list.
  const aliases = { session_before_fork: "session_before_branch", session_fork: "session_branch", session_compacting: "session.compacting" };
  const handlers = new Map(); // event -> [{name, run}]

  function on(name, run) {
    need("string", name, "on: the event");
    need("function", run, "on(" + name + "): the handler");
    const event = aliases[name] || name;
    const list = handlers.get(event) || [];
    if (list.some((h) => h.run === run && h.name !== name)) return noop; // one handler under both names
    const entry = { name, run };
    handlers.set(event, [...list, entry]);
    host.subscribe(event);
    return () => handlers.set(event, handlers.get(event).filter((h) => h !== entry));
  }

  // takes says how a handler's return value `r` goes into the reply and, where
  // the next handler shall see it, into the event. True ends the round.
  const merge = (...keys) => (event, r, reply) => {
    for (const k of keys) if (r[k] !== undefined) event[k] = reply[k] = r[k];
  };
  const collect = (...keys) => (event, r, reply) => {
    for (const k of keys) if (Array.isArray(r[k])) reply[k] = (reply[k] || []).concat(r[k]);
  };
  const cancels = (...keys) => (event, r, reply) => {
    for (const k of ["cancel", ...keys]) if (r[k] !== undefined) reply[k] = r[k];
    return Boolean(r.cancel);
  };
  const takes = {
    tool_call(event, r, reply) {
      if (r.block) Object.assign(reply, { block: true, reason: r.reason });
      if (r.input !== null && typeof r.input === "object") event.input = r.input;
      return r.block;
    },
    tool_result: merge("content", "details", "isError"),
    input(event, r, reply) {
      merge("text", "images")(event, r, reply);
      if (r.block) Object.assign(reply, { block: true, reason: r.reason });
      if (r.handled || r.action === "handled") reply.handled = true;
      return reply.block || reply.handled;
    },
    before_agent_start(event, r, reply) {
      merge("systemPrompt")(event, r, reply);
      if (r.message) (reply.messages = reply.messages || []).push(r.message);
      if (r.block) Object.assign(reply, { block: true, reason: r.reason });
      return r.block;
    },
    context: merge("messages"),
    before_provider_request(event, r, reply) {
      event.payload = reply.payload = r;
    },
    session_before_switch: cancels(),
    session_before_branch: cancels(),
    session_before_tree: cancels("summary"),
    session_before_compact: cancels("compaction"),
    "session.compacting"(event, r, reply) {
      collect("context")(event, r, reply);
      for (const k of ["prompt", "preserveData"]) if (r[k] !== undefined) reply[k] = r[k];
    },
    user_bash(event, r, reply) {
      if (r.result) reply.result = r.result;
      return Boolean(r.result);
    },
    resources_discover: collect("skillPaths", "promptPaths", "themePaths"),
  };

  // event runs the handlers of one event, one after the other, and answers
  // their reply. A handler that fails is reported and passed over; at tool_call
  // it fails the call, because permission fails closed.
  async function event(call, name, payload) {
    const list = handlers.get(name);
    if (!list || !list.length) return undefined;
    const data = payload || {};
    const ctx = new Context(call);
    const take = takes[name];
    const input = name === "tool_call" ? text(data.input) : undefined;
    if (name === "session_before_compact" || name === "session_before_tree") data.signal = ctx.signal;
    const reply = {};
    let said = false;
    try {
      for (let i = 0; i < list.length; i++) {
        const h = list[i];
        data.type = h.name;
        try {
          const r = await h.run(data, ctx);
          if (!take || r === undefined || r === null || typeof r !== "object") continue;
          said = true;
          if (take(data, r, reply)) break;
        } catch (e) {
          if (name === "tool_call") throw e;
          host.failed(h.name, describe(e));
        }
      }
      if (input !== undefined && !reply.block && text(data.input) !== input) {
        said = true;
        reply.input = data.input;
      }
    } finally {
      over(call);
    }
    return said ? text(reply) : undefined;
  }

  // ---- ctx ----------------------------------------------------------------

  const controllers = new Map(); // call -> AbortController
  function signalOf(call) {
    if (!controllers.has(call)) controllers.set(call, new AbortController());
    return controllers.get(call).signal;
  }
  function over(call) {
    controllers.delete(call);
  }

  class Context {
    #call;
    #ui;
    constructor(call) {
      this.#call = call;
    }
    get ui() {
      return (this.#ui = this.#ui || screen(this.#call));
    }
    get hasUI() {
      return get(this.#call, "hasUI");
    }
    get cwd() {
      return get(this.#call, "cwd");
    }
    get sessionManager() {
      return reader(this.#call);
    }
    get modelRegistry() {
      return registry(this.#call);
    }
    get model() {
      return get(this.#call, "state").model;
    }
    get signal() {
      return signalOf(this.#call);
    }
    isIdle() {
      return !get(this.#call, "state").busy;
    }
    hasPendingMessages() {
      return get(this.#call, "state").queued > 0;
    }
    getContextUsage() {
      return get(this.#call, "state").usage;
    }
    getSystemPrompt() {
      return get(this.#call, "systemPrompt");
    }
    abort() {
      tell(this.#call, "abort");
    }
    shutdown() {
      get(this.#call, "shutdown");
    }
    compact(options) {
      const o = typeof options === "string" ? { customInstructions: options } : options || {};
      const done = ask(this.#call, "compact", { instructions: o.customInstructions });
      done.then(
        (result) => o.onComplete && o.onComplete(result),
        (e) => (o.onError ? o.onError(e) : host.failed("compact", describe(e))),
      ).catch((e) => host.failed("compact", describe(e)));
      return done.catch(noop);
    }
  }

  // CommandContext may replace what the session is about, which only the user
  // asks for.
  class CommandContext extends Context {
    #call;
    constructor(call) {
      super(call);
      this.#call = call;
    }
    waitForIdle() {
      return ask(this.#call, "settled");
    }
    newSession(options = {}) {
      if (options.setup) throw new Error("newSession: setup isn't available; send messages when the new session has started");
      return ask(this.#call, "newSession", { path: options.parentSession });
    }
    switchSession(path) {
      return ask(this.#call, "switchSession", { path: need("string", path, "switchSession: the path") });
    }
    branch(entryId) {
      return ask(this.#call, "branch", { id: need("string", entryId, "branch: the entry") });
    }
    fork(entryId) {
      return this.branch(entryId);
    }
    async navigateTree(id, options = {}) {
      const moved = await ask(this.#call, "navigateTree", {
        id: need("string", id, "navigateTree: the entry"), summarize: Boolean(options.summarize), instructions: options.customInstructions,
      });
      if (options.label && !moved.cancelled) get(this.#call, "setLabel", { id, label: options.label });
      return moved;
    }
    reload() {
      return ask(this.#call, "reload");
    }
  }

  // plain is a theme that colours nothing: the face does.
  const last = (...a) => String(a[a.length - 1] ?? "");
  const plain = Object.freeze({
    name: "plain", fg: last, bg: last, bold: last, dim: last, italic: last, underline: last, inverse: last, strikethrough: last,
    getFgAnsi: () => "", getBgAnsi: () => "", getColorMode: () => "truecolor",
    getThinkingBorderColor: () => last, getBashModeBorderColor: () => last,
  });

  // lines are those of whatever can be drawn: text, lines, or a component.
  const columns = 80;
  function lines(v, width) {
    if (v === undefined || v === null) return undefined;
    if (typeof v.render === "function") v = v.render(width);
    if (!Array.isArray(v)) v = String(v).split("\n");
    return v.map(String);
  }

  const widgets = new Map(); // key -> the component shown there
  function screen(call) {
    const dialog = async (method, args, options, otherwise) => {
      const o = options || {};
      if (o.signal && o.signal.aborted) return otherwise;
      const asked = Date.now();
      let a;
      try {
        a = await ask(call, "dialog", { kind: method, ...args, timeout: o.timeout }, o.signal);
      } catch (e) {
        if (o.signal && o.signal.aborted) return otherwise;
        throw e;
      }
      if (!a.answered && o.timeout && o.onTimeout && Date.now() - asked >= o.timeout) o.onTimeout();
      if (!a.answered || a.cancelled) return otherwise;
      return method === "confirm" ? a.confirmed : a.value;
    };
    const setWidget = (key, content, options = {}) => {
      const old = widgets.get(key);
      widgets.delete(key);
      if (old && typeof old.dispose === "function") old.dispose();
      let shown = content;
      const draw = () => get(call, "setWidget", { key: String(key), lines: lines(shown, columns), placement: options.placement });
      if (typeof content === "function") {
        shown = content({ requestRender: () => widgets.get(key) === shown && draw(), terminal: { columns, rows: 24 } }, plain);
        widgets.set(key, shown);
      }
      draw();
    };
    const setEditorText = (s) => get(call, "setEditorText", { text: String(s) });
    return {
      select: (title, options, o) => {
        const labels = Array.from(options, (v) => (v !== null && typeof v === "object" ? String(v.label ?? v.value) : String(v)));
        const details = Array.from(options, (v) => (v !== null && typeof v === "object" && v.description ? String(v.description) : ""));
        return dialog("select", { title: String(title), options: labels, details }, o, undefined);
      },
      confirm: (title, message, o) => dialog("confirm", { title: String(title), message: String(message ?? "") }, o, false),
      input: (title, placeholder, o) => dialog("input", { title: String(title), placeholder }, o, undefined),
      editor: (title, prefill, o) => dialog("editor", { title: String(title), prefill }, { signal: o && o.signal }, undefined),
      notify: (message, level) => void get(call, "notify", { text: String(message), level }),
      setStatus: (key, s) => void get(call, "setStatus", { key: String(key), text: s === undefined || s === null ? undefined : String(s) }),
      setWidget: (key, content, o) => void setWidget(key, content, o),
      setTitle: (title) => void get(call, "setTitle", { text: String(title) }),
      setEditorText: (s) => void setEditorText(s),
      set_editor_text: (s) => void setEditorText(s),
      pasteToEditor: (s) => void setEditorText(s),
      getEditorText: () => "",
      custom: async () => undefined,
      onTerminalInput: () => noop,
      setFooter: noop, setHeader: noop, setWorkingMessage: noop, setWorkingIndicator: noop, setHiddenThinkingLabel: noop,
      setEditorComponent: noop, addAutocompleteProvider: noop, setToolsExpanded: noop,
      getToolsExpanded: () => false,
      theme: plain,
      getAllThemes: () => [],
      getTheme: () => undefined,
      setTheme: () => ({ success: false, error: "an extension can't choose the theme" }),
    };
  }

  function reader(call) {
    const document = () => get(call, "document");
    const tree = () => get(call, "entries");
    const branch = (from) => {
      const { entries, leaf } = tree();
      const byId = new Map(entries.map((e) => [e.id, e]));
      const path = [];
      for (let e = byId.get(from ?? leaf); e && path.length <= entries.length; e = byId.get(e.parentId)) path.push(e);
      return path.reverse();
    };
    const find = (id) => tree().entries.find((e) => e.id === id);
    return {
      getEntries: () => tree().entries,
      getBranch: branch,
      getLeafId: () => tree().leaf || null,
      getLeafEntry: () => find(tree().leaf),
      getEntry: find,
      getChildren: (id) => tree().entries.filter((e) => e.parentId === id),
      getLabel: (id) => (document().labels || {})[id],
      getHeader: () => document().header ?? null,
      getSessionId: () => document().id,
      getSessionFile: () => document().file,
      getSessionDir: () => document().dir,
      getCwd: () => document().cwd,
      getSessionName: () => document().name,
      getTree: () => {
        const labels = document().labels || {};
        const nodes = new Map(tree().entries.map((e) => [e.id, { entry: e, children: [], label: labels[e.id] }]));
        const roots = [];
        for (const n of nodes.values()) (nodes.get(n.entry.parentId) || { children: roots }).children.push(n);
        return roots;
      },
      buildSessionContext: () => get(call, "context"),
    };
  }

  function registry(call) {
    const models = () => get(call, "models");
    const secret = () => {
      throw new Error("an extension isn't given API keys");
    };
    return {
      getAll: models,
      getAvailable: models,
      find: (provider, id) => models().find((m) => m.provider === provider && m.id === id),
      hasConfiguredAuth: (m) => models().some((x) => x.provider === m.provider && x.id === m.id),
      isUsingOAuth: () => false,
      getError: () => undefined,
      refresh: noop,
      getApiKey: async () => secret(),
      getApiKeyForProvider: async () => secret(),
      getApiKeyAndHeaders: async () => ({ ok: false, error: "an extension isn't given API keys" }),
    };
  }

  // ---- registrations ------------------------------------------------------

  const tools = new Map();
  const commands = new Map();
  const shortcuts = new Map();
  const renderers = new Map();

  // The older order of execute's parameters is known by the third one's name.
  const older = (execute) => /^[^(]*\(\s*[^,)]*,[^,)]*,\s*_*(?:on)?(?:update|progress)/i.test(Function.prototype.toString.call(execute));

  function registerTool(def) {
    need("object", def, "registerTool: the tool");
    need("string", def.name, "registerTool: name");
    need("function", def.execute, "registerTool(" + def.name + "): execute");
    host.register("tool", text({
      name: def.name, label: def.label, description: def.description, summary: def.promptSnippet,
      parameters: def.parameters, hidden: Boolean(def.hidden), needsApproval: Boolean(def.needsApproval),
    }));
    tools.set(def.name, { def, older: older(def.execute) });
    host.changed();
  }

  // result is what a tool's answer comes to: content, or whatever else it
  // returned, as text.
  const result = (r) => {
    if (r !== null && typeof r === "object" && (Array.isArray(r.content) || typeof r.content === "string")) {
      return text({ content: r.content, details: r.details, isError: Boolean(r.isError) });
    }
    return text({ content: r === undefined ? "" : typeof r === "string" ? r : text(r) });
  };

  async function tool(call, name, id, params) {
    const { def, older } = tools.get(name);
    const signal = signalOf(call);
    const ctx = new Context(call);
    const onUpdate = (partial) => host.progress(call, result(partial));
    try {
      return result(await (older ? def.execute(id, params, onUpdate, ctx, signal) : def.execute(id, params, signal, onUpdate, ctx)));
    } finally {
      over(call);
    }
  }

  function registerCommand(name, options) {
    need("string", name, "registerCommand: the name");
    const o = typeof options === "function" ? { handler: options } : options || {};
    need("function", o.handler, "registerCommand(" + name + "): handler");
    const complete = typeof o.getArgumentCompletions === "function";
    host.register("command", text({ name, description: o.description, complete }));
    commands.set(name, o);
    host.changed();
  }

  async function command(call, name, args) {
    try {
      await commands.get(name).handler(args, new CommandContext(call));
    } finally {
      over(call);
    }
  }

  async function complete(call, name, prefix) {
    const items = (await commands.get(name).getArgumentCompletions(prefix)) || [];
    return text(items.map((i) => (typeof i === "string" ? { value: i } : { value: i.value, label: i.label, description: i.description })));
  }

  function registerShortcut(key, options) {
    need("string", key, "registerShortcut: the key");
    const o = typeof options === "function" ? { handler: options } : options || {};
    need("function", o.handler, "registerShortcut(" + key + "): handler");
    host.register("shortcut", text({ key, description: o.description }));
    shortcuts.set(key, o);
    host.changed();
  }

  async function shortcut(call, key) {
    try {
      await shortcuts.get(key).handler(new Context(call));
    } finally {
      over(call);
    }
  }

  function registerFlag(name, options = {}) {
    host.register("flag", text({
      name: need("string", name, "registerFlag: the name").replace(/^--/, ""),
      description: options.description, type: options.type || "boolean", default: options.default,
    }));
    host.changed();
  }

  function registerMessageRenderer(type, draw) {
    need("string", type, "registerMessageRenderer: the type");
    need("function", draw, "registerMessageRenderer(" + type + "): the renderer");
    host.register("renderer", text({ name: type }));
    renderers.set(type, draw);
    host.changed();
  }

  async function render(call, message, width, expanded) {
    const draw = renderers.get(message.customType);
    return text(draw && lines(await draw(message, { expanded, width }, plain), width));
  }

  // ---- pi -----------------------------------------------------------------

  const channels = new Map();
  function deliver(channel, data) {
    for (const run of channels.get(channel) || []) {
      try {
        const r = run(data);
        if (r && typeof r.then === "function") r.then(undefined, (e) => host.failed("events:" + channel, describe(e)));
      } catch (e) {
        host.failed("events:" + channel, describe(e));
      }
    }
  }
  const events = {
    emit(channel, data) {
      deliver(channel, data);
      host.emit(channel, text(data));
    },
    on(channel, run) {
      need("function", run, "events.on: the handler");
      if (!channels.has(channel)) host.listen(channel);
      channels.set(channel, [...(channels.get(channel) || []), run]);
      return () => channels.set(channel, channels.get(channel).filter((r) => r !== run));
    },
  };

  const log = (level) => (...args) => host.log(level, args.map((a) => (typeof a === "string" ? a : a instanceof Error ? describe(a) : text(a))).join(" "));
  const own = 0; // the call of what no handler's call stands for

  const pi = {
    on, registerTool, registerCommand, registerShortcut, registerFlag, registerMessageRenderer, events,
    getFlag: (name) => get(own, "flag", { name: String(name).replace(/^--/, "") }),
    registerProvider(name) {
      throw new Error("registerProvider(" + name + "): an extension can't add a provider; add it to the user's models file");
    },
    unregisterProvider: noop,
    sendMessage: (message, options = {}) => void get(own, "sendMessage", { message, trigger: Boolean(options.triggerTurn), delivery: options.deliverAs }),
    sendUserMessage: (content, options = {}) => void get(own, "sendUserMessage", { content, delivery: options.deliverAs }),
    appendEntry: (type, data) => void get(own, "appendEntry", { type: need("string", type, "appendEntry: the type"), data }),
    setLabel: (id, label) => void get(own, "setLabel", { id, label }),
    async exec(command, args = [], options = {}) {
      need("string", command, "exec: the command");
      return ask(own, "exec", { command, args: Array.from(args, String), timeout: options.timeout, cwd: options.cwd, env: options.env, input: options.input }, options.signal);
    },
    getActiveTools: () => get(own, "activeTools"),
    getAllTools: () => get(own, "allTools"),
    setActiveTools: (names) => void get(own, "setActiveTools", { names: Array.from(names, String) }),
    getCommands: () => get(own, "commands"),
    setModel: (model) => ask(own, "setModel", { provider: model.provider, id: model.id }),
    getThinkingLevel: () => get(own, "state").thinking,
    setThinkingLevel: (level) => void get(own, "setThinking", { level: String(level) }),
    getSessionName: () => get(own, "document").name,
    setSessionName: (name) => void get(own, "rename", { name: String(name) }),
    logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    get typebox() {
      return host.module("@sinclair/typebox");
    },
  };

  async function load(exported) {
    const start = exported && exported.default !== undefined ? exported.default : exported;
    if (typeof start !== "function") throw new TypeError("the module's default export must be a function that takes the extension API");
    await start(pi);
  }

  // agent answers an agent module's options as JSON. Its tools are registered,
  // and in the options they are names.
  async function agent(exported) {
    let a = exported && exported.default !== undefined ? exported.default : exported;
    if (typeof a === "function") a = await a(pi);
    if (a === null || typeof a !== "object" || Array.isArray(a)) throw new TypeError("the module's default export must be an agent: an object with instructions");
    const { tools: list, ...rest } = a;
    if (list === undefined) return text(rest);
    if (!Array.isArray(list)) throw new TypeError("tools must be a list");
    const names = list.map((t) => {
      if (t === null || typeof t !== "object" || typeof t.execute !== "function") return t;
      // A tool of an agent knows its arguments first.
      registerTool({ ...t, execute: (id, params, signal, onUpdate, ctx) => t.execute(params, { ...ofCall(id, signal, onUpdate), ctx }) });
      return t.needsApproval ? { name: t.name, needsApproval: true } : t.name;
    });
    return text({ ...rest, tools: names });
  }
  const ofCall = (toolCallId, signal, onUpdate) => ({ toolCallId, signal, onUpdate });

  return {
    load, agent, event, tool, command, complete, shortcut, render,
    bus: (channel, data) => deliver(channel, data),
    abort: (call, reason) => controllers.has(call) && controllers.get(call).abort(new Error(reason)),
  };
})
