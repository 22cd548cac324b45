package mockserver

import "bytes"

// results is how a tool's result begins on each wire. Within the text of a
// message the quotes are escaped, so that no text looks like it.
var results = map[Wire][]byte{
	Anthropic:   []byte(`"type":"tool_result"`),
	Completions: []byte(`"role":"tool"`),
	Responses:   []byte(`call_output"`),
	Google:      []byte(`"functionResponse":`),
}

// Results counts the results of tools in the conversation. It reads no JSON: a
// conversation may be long and clients write no spaces.
func (r Request) Results() int { return bytes.Count(r.Body, results[r.Wire]) }

// OffersTools tells a request of the agent from one for a title or a summary.
func (r Request) OffersTools() bool {
	_, tools, ok := bytes.Cut(r.Body, []byte(`"tools":[`))
	return ok && !bytes.HasPrefix(tools, []byte("]"))
}

// unstreamed reports whether a client of another wire than Google's wants one
// object. Streams have to be asked for.
func unstreamed(body []byte) bool {
	return bytes.Contains(body, []byte(`"stream":false`)) || !bytes.Contains(body, []byte(`"stream":`))
}
