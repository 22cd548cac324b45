package strict

// Shapes of what commands and events share.

var (
	level      = oneOf("off", "minimal", "low", "medium", "high", "xhigh")
	queueMode  = oneOf("all", "one-at-a-time")
	stopReason = oneOf("stop", "length", "toolUse", "error", "aborted")
	author     = oneOf("user", "agent")
)

var (
	textBlock  = fields{"text": text, "textSignature?": text}
	imageBlock = fields{"data": name, "mimeType": name}
	toolCall   = fields{
		"id": name, "name": name, "arguments": anyObject, "intent?": text, "thoughtSignature?": text,
		"providerId?": name, "malformedArguments?": name,
	}

	image    = variants("type", map[string]fields{"image": imageBlock})
	call     = variants("type", map[string]fields{"toolCall": toolCall})
	contents = list(variants("type", map[string]fields{"text": textBlock, "image": imageBlock}))
	saying   = either(text, contents)
	answered = list(variants("type", map[string]fields{
		"text":             textBlock,
		"thinking":         {"thinking": text, "thinkingSignature?": text},
		"redactedThinking": {"data": text},
		"toolCall":         toolCall,
	}))
)

var usage = record(fields{
	"input": count, "output": count, "cacheRead": count, "cacheWrite": count, "totalTokens": count, "premiumRequests?": number,
	"cost": record(fields{"input": number, "output": number, "cacheRead": number, "cacheWrite": number, "total": number}),
})

// Messages by role. A stored message may come from any face, so the roles that
// no event announces are here too.
var (
	assistantMessage = fields{
		"content": answered, "api": name, "provider": name, "model": name, "responseId?": name,
		"usage": usage, "stopReason": stopReason, "errorMessage?": text, "timestamp": count, "duration?": count, "ttft?": count,
	}
	toolResultMessage = fields{
		"toolCallId": name, "toolName": name, "content": contents, "details?": anything, "isError": boolean,
		"isWarning?": boolean, "prunedAt?": count, "attribution?": author, "timestamp": count,
	}

	assistant  = variants("role", map[string]fields{"assistant": assistantMessage})
	toolResult = variants("role", map[string]fields{"toolResult": toolResultMessage})
	message    = variants("role", map[string]fields{
		"assistant":  assistantMessage,
		"toolResult": toolResultMessage,
		"user":       {"content": saying, "attribution?": author, "synthetic?": boolean, "timestamp": count},
		"developer":  {"content": saying, "attribution?": author, "timestamp": count},
		"custom": {
			"customType": name, "content": saying, "display": boolean, "details?": anything, "attribution?": author, "timestamp": count,
		},
		"bashExecution": {
			"command": text, "output": text, "exitCode?": integer, "cancelled": boolean, "truncated": boolean,
			"meta?": anything, "fullOutputPath?": name, "excludeFromContext?": boolean, "timestamp": count,
		},
		"branchSummary":     {"summary": text, "fromId": name, "timestamp": count},
		"compactionSummary": {"summary": text, "shortSummary?": text, "tokensBefore": count, "timestamp": count},
		"fileMention": {"timestamp": count, "files": list(record(fields{
			"path": name, "content": text, "lineCount?": count, "byteSize?": count, "skippedReason?": only("tooLarge"), "image?": image,
		}))},
	})
)

var model = record(fields{
	"id": name, "name": name, "api": name, "provider": name, "baseUrl": text, "reasoning": boolean,
	"input": list(oneOf("text", "image")), "contextWindow": count, "maxTokens": count,
	"cost":     record(fields{"input": number, "output": number, "cacheRead": number, "cacheWrite": number}),
	"headers?": anyObject, "compat?": anyObject, "premiumMultiplier?": number, "preferWebsockets?": boolean,
	"contextPromotionTarget?": name, "priority?": number,
	"thinking?": record(fields{
		"minLevel": level, "maxLevel": level,
		"mode": oneOf("effort", "budget", "google-level", "anthropic-adaptive", "anthropic-budget-effort"),
	}),
})

var (
	phases = list(record(fields{"id": text, "name": text, "tasks": list(record(fields{
		"id": text, "content": text, "status": oneOf("pending", "in_progress", "completed", "abandoned"),
		"notes?": text, "details?": text,
	}))}))
	unfinished = list(record(fields{"id": text, "content": text, "status": oneOf("pending", "in_progress")}))
)

// fullness of the context: tokens and percent are null while unknown.
var fullness = record(fields{"tokens": nullable(count), "contextWindow": count, "percent": nullable(number)})

// produced is a tool's result or what it has so far.
var produced = record(fields{"content": contents, "details?": anything})

var compaction = record(fields{
	"summary": text, "shortSummary?": text, "firstKeptEntryId": name, "tokensBefore": count,
	"details?": anything, "preserveData?": anything,
})

var streamRule = record(fields{
	"name": name, "path": text, "content": text, "globs?": list(text), "alwaysApply?": boolean, "description?": text,
	"condition?": list(text), "scope?": list(text), "interruptMode?": text,
	"_source": record(fields{"provider": text, "providerName": text, "path": text, "level": text}),
})

// entry is a line of a session file. Its kinds are an open set: files of other
// programs are listed as they are.
func entry(v any) error {
	o, ok := v.(object)
	if !ok {
		return mismatch("an object", v)
	}
	known := object{}
	base := fields{"type": name, "id": name, "parentId": nullable(name), "timestamp": name}
	if o["type"] == "message" {
		base["message"] = message
	}
	for field := range base {
		if value, ok := o[field]; ok {
			known[field] = value
		}
	}
	return record(base)(known)
}

// branch is a node of the session's tree.
func branch(v any) error {
	return record(fields{"entry": entry, "children": list(branch), "label?": text, "labelTimestamp?": text})(v)
}
