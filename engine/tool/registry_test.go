package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
)

func named(name string, aliases ...string) Tool {
	return New(Spec{Name: name, Aliases: aliases}, func(context.Context, Call, struct{}) (Result, error) { return TextResult(name), nil })
}

func names(tools []Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Spec().Name)
	}
	return out
}

func TestRegistry(t *testing.T) {
	r, err := NewRegistry(named("read"), named("todo", "todo_write"), named("bash"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ ask, want, err string }{
		{"read", "read", ""},
		{"todo_write", "todo", ""},
		{"Read", "read", ""},
		{"TODO_WRITE", "todo", ""},
		{"raed", "", `unknown tool "raed"; did you mean read?`},
		{"teleport", "", `unknown tool "teleport"; there are: read, todo, bash`},
		{"", "", `unknown tool ""; there are: read, todo, bash`},
	} {
		got, err := r.Find(tt.ask)
		if tt.err != "" && (err == nil || err.Error() != tt.err) {
			t.Errorf("%q: error %v, want %s", tt.ask, err, tt.err)
		}
		if tt.err == "" && (err != nil || got.Spec().Name != tt.want) {
			t.Errorf("%q: %v", tt.ask, err)
		}
	}
	for _, bad := range []string{"read", "todo_write", "", "a b", "a.b", strings.Repeat("x", 65), "ملف"} {
		if err := r.Add(named(bad)); err == nil {
			t.Errorf("%q was added", bad)
		}
	}
	if err := r.Replace(named("todo")); err != nil {
		t.Error(err)
	}
	if err := r.Replace(named("extra")); err != nil {
		t.Error(err)
	}
	if got := names(r.Tools()); !slices.Equal(got, []string{"read", "todo", "bash", "extra"}) {
		t.Errorf("order %v", got)
	}
	if !r.Remove("extra") || r.Remove("extra") {
		t.Error("remove")
	}
	got, err := r.Select([]string{"bash", "read"})
	if err != nil || !slices.Equal(names(got), []string{"read", "bash"}) {
		t.Errorf("select: %v, %v", names(got), err)
	}
	_, err = r.Select([]string{"bahs", "read", "nothing"})
	if err == nil || !strings.Contains(err.Error(), "did you mean bash?") || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("select: %v", err)
	}
}

func TestRegistryConcurrently(t *testing.T) {
	r := &Registry{}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			name := "t" + string(rune('a'+i))
			if err := r.Add(named(name)); err != nil {
				t.Error(err)
			}
			if _, err := r.Find(name); err != nil {
				t.Error(err)
			}
			r.Tools()
			if i%2 == 0 {
				r.Remove(name)
			}
		})
	}
	wg.Wait()
	if n := len(r.Tools()); n != 10 {
		t.Errorf("%d tools", n)
	}
}

func TestNew(t *testing.T) {
	type args struct {
		N int `json:"n" jsonschema:"how many"`
	}
	run := func(_ context.Context, _ Call, a args) (Result, error) {
		return TextResult(strings.Repeat("x", a.N)), nil
	}
	describe := func(context.Context, Call, args) (Description, error) { return Description{Title: "t"}, nil }
	preview := func(context.Context, Call, args) (string, error) { return "diff", nil }
	call := Call{Arguments: json.RawMessage(`{"n":2}`)}

	bare := New(Spec{Name: "x"}, run)
	if _, ok := bare.(Describer); ok {
		t.Error("a bare tool claims to describe")
	}
	if got, err := bare.Run(t.Context(), call); err != nil || got.Content[0].Text != "xx" {
		t.Errorf("run: %v, %v", got, err)
	}
	if got := string(bare.Spec().Parameters); !strings.Contains(got, `"description":"how many"`) || !strings.Contains(got, `"additionalProperties":false`) {
		t.Errorf("schema %s", got)
	}
	full := New(Spec{Name: "x"}, run, Described(describe), Previewed(preview))
	if d, err := full.(Describer).Describe(t.Context(), call); err != nil || d.Title != "t" {
		t.Errorf("describe: %v, %v", d, err)
	}
	if d, err := full.(Previewer).Preview(t.Context(), call); err != nil || d != "diff" {
		t.Errorf("preview: %v, %v", d, err)
	}
	broken := New(Spec{Name: "x"}, func(context.Context, Call, struct{ C chan int }) (Result, error) { return Result{}, nil })
	if _, err := broken.Run(t.Context(), call); err == nil {
		t.Error("a tool without a schema runs")
	}
}

func TestNearest(t *testing.T) {
	for _, tt := range []struct {
		word string
		from []string
		want []string
	}{
		{"scr", []string{"src", "lib"}, []string{"src"}},
		{"file_path", []string{"offset", "path"}, []string{"path"}},
		{"old_text", []string{"oldText", "newText"}, []string{"oldText"}},
		{"x", []string{"abc"}, nil},
		{"", []string{"abc"}, nil},
		{strings.Repeat("a", 10_000), []string{strings.Repeat("a", 10_000)}, nil},
	} {
		if got := Nearest(tt.word, tt.from, 1); !slices.Equal(got, tt.want) {
			t.Errorf("%.20q: %v, want %v", tt.word, got, tt.want)
		}
	}
}

func TestCaps(t *testing.T) {
	for _, tt := range []struct {
		text         string
		lines, bytes int
		want         string
		short        bool
	}{
		{"a\nb\nc", 9, 99, "a\nb\nc", false},
		{"a\nb\nc", 2, 99, "a\nb\n", true},
		{"aa\nbb\ncc\n", 9, 6, "aa\nbb\n", true},
		{"日本語\n", 9, 5, "日", true},
		{"日", 9, 1, "", true},
		{"", 9, 9, "", false},
	} {
		got, cut := Head(tt.text, tt.lines, tt.bytes)
		if got != tt.want || cut.Short() != tt.short {
			t.Errorf("%q: got %q, %+v", tt.text, got, cut)
		}
	}
	long := strings.Repeat("line\n", 3000)
	if got := Capped(long, "Use less."); !strings.HasSuffix(got, "[Cut: lines 1-2000 of 3000, 9.8 KB of 14.6 KB. Use less.]") {
		t.Error(got[len(got)-100:])
	}
	if got := Capped("short", "x"); got != "short" {
		t.Error(got)
	}
	if got := Line("日本語", 2); got != "日本… [1 more characters]" {
		t.Error(got)
	}
	if got := Line("日本語", 3); got != "日本語" {
		t.Error(got)
	}
}
