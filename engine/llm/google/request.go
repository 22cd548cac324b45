package google

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/history"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

const (
	// idLimit bounds tool call ids; the API states none.
	idLimit = 64
	// nameLimit is the API's, in bytes.
	nameLimit = 128
)

// unsigned stands in for the signature of a call that another model made. The
// API documents it for histories that come from elsewhere: models that insist
// on signatures skip their check. It is base64, as every signature on the wire.
const unsigned = "skip/thought/signature/validator"

func config(req llm.Request) *genai.GenerateContentConfig {
	once := false // a second request would be a retry
	c := &genai.GenerateContentConfig{
		AutomaticContinuation: &once,
		MaxOutputTokens:       int32(min(max(req.MaxTokens, 0), 1<<30)),
		ThinkingConfig:        thinking(req),
	}
	if strings.TrimSpace(req.System) != "" {
		c.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: req.System}}}
	}
	if len(req.Tools) > 0 {
		tool := &genai.Tool{}
		for _, t := range req.Tools {
			d := &genai.FunctionDeclaration{Name: t.Name, Description: t.Description}
			if len(t.Parameters) > 0 {
				d.ParametersJsonSchema = t.Parameters
			}
			tool.FunctionDeclarations = append(tool.FunctionDeclarations, d)
		}
		c.Tools = []*genai.Tool{tool}
	}
	return c
}

// contents turns the messages into the wire's turns. A run of tool results is
// one turn, in the order of the calls; its images follow where the model takes
// none inside a result.
func contents(req llm.Request) []*genai.Content {
	c := converter{signs: compatOf(req.Model).levels(req.Model), calls: map[string]call{}}
	messages := history.Strip(req.Messages, req.Model)
	var out []*genai.Content
	for i := 0; i < len(messages); i++ {
		switch m := messages[i]; m.Role {
		case message.User:
			out = turn(out, genai.RoleUser, c.parts(m.Content))
		case message.Assistant:
			out = turn(out, genai.RoleModel, c.answer(m, history.Foreign(m, req.Model)))
		case message.ToolResult:
			end := i
			for end < len(messages) && messages[end].Role == message.ToolResult {
				end++
			}
			results, images := c.results(messages[i:end])
			out = turn(out, genai.RoleUser, results)
			out = turn(out, genai.RoleUser, images)
			i = end - 1
		}
	}
	return out
}

// turn adds a turn. The model never has two in a row, since the API wants its
// calls right after a turn of the user's; the user may.
func turn(out []*genai.Content, role string, parts []*genai.Part) []*genai.Content {
	if len(parts) == 0 {
		return out
	}
	if n := len(out); n > 0 && role == genai.RoleModel && out[n-1].Role == role {
		out[n-1].Parts = append(out[n-1].Parts, parts...)
		return out
	}
	return append(out, &genai.Content{Role: role, Parts: parts})
}

// converter holds what the parts of one request have to agree on.
type converter struct {
	signs bool            // the model insists on signatures and takes images in results
	calls map[string]call // by the session's id
}

// call is how a tool call is named on the wire.
type call struct{ id, name string }

// parts of a user's message.
func (c converter) parts(blocks []message.Block) []*genai.Part {
	var out []*genai.Part
	for _, b := range blocks {
		switch b.Type {
		case message.TextBlock:
			out = append(out, &genai.Part{Text: b.Text})
		case message.ImageBlock:
			out = append(out, imagePart(b))
		}
	}
	return out
}

// answer gives the parts of a model's answer. The first call of an answer must
// be signed where the model insists, also if the answer isn't its own.
func (c converter) answer(m message.Message, foreign bool) []*genai.Part {
	var out []*genai.Part
	first := true
	for _, b := range m.Content {
		p := &genai.Part{ThoughtSignature: decode(b.Signature)}
		switch b.Type {
		case message.TextBlock:
			p.Text = b.Text
		case message.ThinkingBlock:
			if strings.TrimSpace(b.Text) == "" {
				continue // nothing that the wire could carry the signature with
			}
			p.Text, p.Thought = b.Text, true
		case message.ToolCallBlock:
			if first && c.signs && len(p.ThoughtSignature) == 0 {
				p.ThoughtSignature = decode(unsigned)
			}
			first = false
			p.FunctionCall = c.call(b, foreign)
		case message.ImageBlock:
			p = imagePart(b)
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

func (c converter) call(b message.Block, foreign bool) *genai.FunctionCall {
	id := b.ID
	if b.ProviderID != "" && !foreign {
		id = b.ProviderID
	}
	id = history.ToolID(id, history.Word, idLimit)
	name := functionName(b.Name)
	c.calls[b.ID] = call{id, name}
	args := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(message.Object(b.Arguments)))
	d.UseNumber()
	if d.Decode(&args) != nil {
		args = map[string]any{}
	}
	return &genai.FunctionCall{ID: id, Name: name, Args: args}
}

// functionName is the name of a call as the API takes it: a tool that the model
// made up has one of any form.
func functionName(name string) string {
	valid := history.ToolID(name, history.Word+".:", nameLimit)
	if strings.ContainsAny(valid[:1], "0123456789.:-") {
		return history.ToolID("_"+name, history.Word+".:", nameLimit)
	}
	return valid
}

func (c converter) results(messages []message.Message) (results, images []*genai.Part) {
	for _, m := range messages {
		known, ok := c.calls[m.ToolCallID]
		if !ok {
			continue // the API refuses a result without its call
		}
		r := &genai.FunctionResponse{ID: known.id, Name: known.name}
		var texts []string
		for _, b := range m.Content {
			switch b.Type {
			case message.TextBlock:
				texts = append(texts, b.Text)
			case message.ImageBlock:
				p := imagePart(b)
				switch {
				case p.InlineData == nil:
					texts = append(texts, p.Text)
				case c.signs:
					r.Parts = append(r.Parts, &genai.FunctionResponsePart{InlineData: &genai.FunctionResponseBlob{MIMEType: p.InlineData.MIMEType, Data: p.InlineData.Data}})
				default:
					images = append(images, p)
				}
			}
		}
		if len(texts) == 0 {
			texts = []string{"(see the image)"}
		}
		field := "output"
		if m.IsError {
			field = "error"
		}
		r.Response = map[string]any{field: strings.Join(texts, "\n")}
		results = append(results, &genai.Part{FunctionResponse: r})
	}
	if len(images) > 0 {
		images = append([]*genai.Part{{Text: "Images that the tools returned:"}}, images...)
	}
	return results, images
}

// imageTypes are those that the API documents.
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}

// imagePart returns an image, or a note in its place: one image that the API
// refuses would make every later request fail.
func imagePart(b message.Block) *genai.Part {
	if !slices.Contains(imageTypes, b.MimeType) {
		return &genai.Part{Text: history.ImageNote("this model takes no " + b.MimeType).Text}
	}
	data := decode(b.Data)
	if len(data) == 0 {
		return &genai.Part{Text: history.ImageNote("it is damaged").Text}
	}
	return &genai.Part{InlineData: &genai.Blob{MIMEType: b.MimeType, Data: data}}
}

// decode returns the bytes of base64, nil if it is none.
func decode(s string) []byte {
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil
	}
	return data
}
