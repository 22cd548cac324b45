package google

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"

	"google.golang.org/genai"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// none is the index of no block.
const none = -1

var errMalformed = errors.New("the server sent an event that can't be read")

// reader turns the chunks of one answer into its blocks. Text and thoughts
// come in pieces, which become one block as long as they are of one kind; calls
// come whole.
type reader struct {
	w        *answer.Writer
	newID    func() string
	provider string

	block     int // open text or thinking block, or none
	kind      message.BlockType
	signature string          // of the open block; before the first, of what comes next
	ids       map[string]bool // of this answer's calls

	usage   message.Usage
	reason  genai.FinishReason
	detail  string // what the server says about the reason
	blocked genai.BlockedReason
}

// read takes in the whole stream, or as much as the caller wants. The SDK's
// converters panic on JSON of unexpected types, which is the server's fault.
func (r *reader) read(stream iter.Seq2[*genai.GenerateContentResponse, error]) (err error) {
	ours := false // true while our code, or the caller's, runs
	defer func() {
		if ours {
			return
		}
		if recover() != nil {
			err = errMalformed
		}
	}()
	for chunk, failed := range stream {
		ours = true
		if failed != nil {
			return failed
		}
		if !r.chunk(chunk) {
			return nil
		}
		ours = false
	}
	return nil
}

// chunk takes in one chunk and reports whether to go on.
func (r *reader) chunk(c *genai.GenerateContentResponse) bool {
	if c.ResponseID != "" {
		r.w.Identify(c.ResponseID)
	}
	if u := c.UsageMetadata; u != nil {
		r.usage = usage(u)
	}
	if f := c.PromptFeedback; f != nil && f.BlockReason != "" {
		r.blocked, r.detail = f.BlockReason, f.BlockReasonMessage
	}
	if len(c.Candidates) == 0 || c.Candidates[0] == nil {
		return true
	}
	candidate := c.Candidates[0]
	if candidate.Content != nil {
		for _, p := range candidate.Content.Parts {
			if p != nil && !r.part(p) {
				return false
			}
		}
	}
	if f := candidate.FinishReason; f != "" && f != genai.FinishReasonUnspecified {
		r.reason, r.detail = f, candidate.FinishMessage
	}
	return true
}

// usage counts thoughts as output, and what the cache gave apart from input.
func usage(u *genai.GenerateContentResponseUsageMetadata) message.Usage {
	return message.Usage{
		Input:       max(0, int(u.PromptTokenCount)+int(u.ToolUsePromptTokenCount)-int(u.CachedContentTokenCount)),
		Output:      max(0, int(u.CandidatesTokenCount)) + max(0, int(u.ThoughtsTokenCount)),
		CacheRead:   max(0, int(u.CachedContentTokenCount)),
		TotalTokens: max(0, int(u.TotalTokenCount)),
	}
}

func (r *reader) part(p *genai.Part) bool {
	switch {
	case p.FunctionCall != nil:
		return r.call(p)
	case p.Text == "":
		r.sign(p.ThoughtSignature) // it belongs to the text before it
		return true
	case p.Thought:
		return r.text(message.ThinkingBlock, p)
	}
	return r.text(message.TextBlock, p)
}

func (r *reader) text(kind message.BlockType, p *genai.Part) bool {
	if r.block == none || r.kind != kind {
		if !r.close() {
			return false
		}
		index, ok := r.w.Open(message.Block{Type: kind})
		if !ok {
			return false
		}
		r.block, r.kind = index, kind
	}
	r.sign(p.ThoughtSignature)
	return r.w.Delta(r.block, p.Text)
}

// sign keeps the last signature of a block. Pieces of one text aren't parted
// by it: the parts of the wire are pieces of the stream, not of the text.
func (r *reader) sign(signature []byte) {
	if len(signature) > 0 {
		r.signature = base64.StdEncoding.EncodeToString(signature)
	}
}

// close ends the open text or thinking block.
func (r *reader) close() bool {
	if r.block == none {
		return true
	}
	index, signature := r.block, r.signature
	r.block, r.signature = none, ""
	return r.w.Close(index, signature)
}

func (r *reader) call(p *genai.Part) bool {
	if !r.close() {
		return false
	}
	r.sign(p.ThoughtSignature)
	f := p.FunctionCall
	if f.Name == "" {
		r.reason = genai.FinishReasonMalformedFunctionCall
		return false
	}
	index, ok := r.w.Open(message.Block{Type: message.ToolCallBlock, ID: r.id(f.ID), Name: f.Name})
	if !ok {
		return false
	}
	signature := r.signature
	r.signature = ""
	return r.w.Delta(index, arguments(f.Args)) && r.w.Close(index, signature)
}

// id returns an id that no other call of this answer has.
func (r *reader) id(given string) string {
	if given == "" || r.ids[given] {
		given = r.newID()
	}
	if r.ids == nil {
		r.ids = map[string]bool{}
	}
	r.ids[given] = true
	return given
}

// arguments returns the JSON of a call's arguments. The SDK has decoded them
// already: integers beyond 2^53 have lost digits there.
func arguments(args map[string]any) string {
	if len(args) == 0 {
		return "{}"
	}
	text, err := jsonl.Value(args)
	if err != nil {
		return "{}" // can't be: it was JSON
	}
	return string(text)
}

// finish ends the answer. A stream that named its end is done, whatever
// happened to the connection after it.
func (r *reader) finish(err error) {
	r.close()
	reason, verdict := r.verdict()
	if err != nil && r.reason == "" && r.blocked == "" {
		reason, verdict = "", err
	}
	r.w.Finish(reason, r.usage, verdict)
}

// verdict says what the answer's end means.
func (r *reader) verdict() (message.StopReason, error) {
	if r.blocked != "" {
		return message.Refusal, r.filtered("the prompt was blocked", string(r.blocked))
	}
	switch r.reason {
	case "":
		return "", fmt.Errorf("%s: the answer broke off: %w", r.provider, io.ErrUnexpectedEOF)
	case genai.FinishReasonStop:
		return "", nil
	case genai.FinishReasonMaxTokens, genai.FinishReasonContinuation:
		return message.Length, nil
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonLanguage, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonImageSafety,
		genai.FinishReasonImageProhibitedContent, genai.FinishReasonImageRecitation:
		return message.Refusal, r.filtered("the answer was stopped by the provider's filter", string(r.reason))
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall, genai.FinishReasonTooManyToolCalls,
		genai.FinishReasonOther, genai.FinishReasonNoImage, genai.FinishReasonImageOther:
		// Chance made the model stumble: the same request may go well.
		return message.Error, &llm.Error{Kind: llm.Unavailable, Provider: r.provider, Message: r.explain("the model gave no valid answer", string(r.reason))}
	}
	return message.Error, &llm.Error{Kind: llm.Unknown, Provider: r.provider, Message: r.explain("the answer ended in an unknown way", string(r.reason))}
}

func (r *reader) filtered(what, reason string) error {
	return &llm.Error{Kind: llm.Filtered, Provider: r.provider, Message: r.explain(what, reason)}
}

func (r *reader) explain(what, reason string) string {
	text := what + " (" + cut(reason) + ")"
	if r.detail != "" {
		text += ": " + cut(r.detail)
	}
	return text
}
