package openai

import (
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
)

// anthropicCache is the CacheControlFormat of gateways to Anthropic's models,
// which cache only up to the places that a request marks.
const anthropicCache = "anthropic"

// turnMarks is how many of the last user turns are marked: the last for the
// next request to read, the one before for this.
const turnMarks = 2

func cacheMark() map[string]any {
	return map[string]any{"cache_control": map[string]any{"type": "ephemeral"}}
}

// breakpoints marks the system prompt, the tools and the last turns.
func (c *chatBuilder) breakpoints() {
	if c.compat.CacheControlFormat != anthropicCache {
		return
	}
	if n := len(c.params.Tools); n > 0 {
		c.params.Tools[n-1].OfFunction.SetExtraFields(cacheMark())
	}
	left := turnMarks
	for i := len(c.params.Messages) - 1; i >= 0; i-- {
		m := &c.params.Messages[i]
		ends := i == len(c.params.Messages)-1 || c.params.Messages[i+1].OfAssistant != nil // a user turn
		switch {
		case m.OfSystem != nil:
			markText(&m.OfSystem.Content.OfString, &m.OfSystem.Content.OfArrayOfContentParts)
		case !ends || left == 0:
		case m.OfTool != nil && m.OfTool.Content.OfString.Value != "":
			markText(&m.OfTool.Content.OfString, &m.OfTool.Content.OfArrayOfContentParts)
			left--
		case m.OfUser != nil:
			markUser(&m.OfUser.Content)
			left--
		}
	}
}

// markText turns a text into a part that carries the mark.
func markText(text *param.Opt[string], parts *[]sdk.ChatCompletionContentPartTextParam) {
	part := sdk.ChatCompletionContentPartTextParam{Text: text.Value}
	part.SetExtraFields(cacheMark())
	*text, *parts = param.Opt[string]{}, []sdk.ChatCompletionContentPartTextParam{part}
}

func markUser(content *sdk.ChatCompletionUserMessageParamContentUnion) {
	if content.OfString.Valid() {
		content.OfArrayOfContentParts = []sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart(content.OfString.Value)}
		content.OfString = param.Opt[string]{}
	}
	switch last := content.OfArrayOfContentParts[len(content.OfArrayOfContentParts)-1]; {
	case last.OfText != nil:
		last.OfText.SetExtraFields(cacheMark())
	case last.OfImageURL != nil:
		last.OfImageURL.SetExtraFields(cacheMark())
	}
}
