package rpc

import "testing"

// Finished tasks leave the list by themselves, and the host is told.
func TestTodoAutoClear(t *testing.T) {
	h := connect(t, "-- turn --\n-- text --\nhi\n", setup{settings: `{"todo":{"clearDelaySeconds":0}}`})
	h.send(`{"id":"s","type":"set_todos","phases":[{"name":"P","tasks":[{"id":"a","content":"x","status":"completed"},{"id":"b","content":"y","status":"pending"}]}]}`)
	h.untilType("todo_auto_clear")
	h.send(`{"id":"g","type":"get_state"}`)
	got := h.until("the state", func(f frame) bool { return string(f.ID) == `"g"` })
	if list := pick(t, got.line, "data.todoPhases.0.tasks.0.id"); list != "b" {
		t.Errorf("the first task left is %q", list)
	}
}
