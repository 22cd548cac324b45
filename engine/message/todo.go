package message

// TodoPhase is a named group of tasks. The JSON is the RPC dialects'.
type TodoPhase struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Tasks []Todo `json:"tasks"`
}

// Todo is one task; Status is pending, in_progress, completed or abandoned.
type Todo struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  string `json:"status"`
	Notes   string `json:"notes,omitempty"`
	Details string `json:"details,omitempty"`
}
