package event

// Notice is for people. Level is info, warning or error.
type Notice struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	// Source is the extension that speaks; empty for Hoopoe itself.
	Source string `json:"source,omitempty"`
}

// ExtensionFailed reports a hook that failed or took too long.
type ExtensionFailed struct {
	Extension string `json:"extension"`
	// Path is the extension's file; empty for one without.
	Path  string `json:"path,omitempty"`
	Point string `json:"point"`
	Error string `json:"error"`
}

// StatusChanged holds what an extension shows under a key of its own in the
// status line. A nil Text takes it away.
type StatusChanged struct {
	Extension string  `json:"extension"`
	Key       string  `json:"key"`
	Text      *string `json:"text,omitempty"`
}

// WidgetChanged holds the lines that an extension shows near the editor. Nil
// Lines take them away. Placement is aboveEditor, belowEditor or empty, which
// leaves it to the face.
type WidgetChanged struct {
	Extension string   `json:"extension"`
	Key       string   `json:"key"`
	Lines     []string `json:"lines,omitzero"`
	Placement string   `json:"placement,omitempty"`
}

// TitleChanged holds the terminal's title as an extension wants it.
type TitleChanged struct {
	Title string `json:"title"`
}

// EditorTextSet replaces the text that the user is writing.
type EditorTextSet struct {
	Text string `json:"text"`
}

// CommandsChanged says that the list of slash commands is another one now.
type CommandsChanged struct{}
