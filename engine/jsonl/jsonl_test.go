package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// readAll collects every line and the error that ended the input.
func readAll(r *jsonl.Reader) (lines []jsonl.Line, tooLong int, end error) {
	for {
		line, err := r.Next()
		var long *jsonl.TooLongError
		switch {
		case errors.As(err, &long):
			tooLong++
		case err != nil:
			return lines, tooLong, err
		default:
			line.Data = bytes.Clone(line.Data)
			lines = append(lines, line)
		}
	}
}

func TestReader(t *testing.T) {
	big := strings.Repeat("x", 300<<10)
	type want struct {
		data       string
		offset     int64
		terminated bool
	}
	tests := []struct {
		name, in string
		limit    int
		want     []want
		tooLong  int
	}{
		{name: "empty", in: ""},
		{name: "only blank lines", in: "\n\r\n \t\n"},
		{name: "one line", in: "{}\n", want: []want{{"{}", 0, true}}},
		{name: "no newline at the end", in: "{}\n[1", want: []want{{"{}", 0, true}, {"[1", 3, false}}},
		{name: "carriage return", in: "{}\r\n1\r\n", want: []want{{"{}", 0, true}, {"1", 4, true}}},
		{name: "unterminated keeps its carriage return", in: "1\r", want: []want{{"1\r", 0, false}}},
		{name: "blank lines count for the offset", in: "\n\n1\n\n2\n", want: []want{{"1", 2, true}, {"2", 5, true}}},
		{name: "other separators are data", in: "\"a\u2028b\u2029c\u0085d\re\ff\"\n", want: []want{{"\"a\u2028b\u2029c\u0085d\re\ff\"", 0, true}}},
		{name: "longer than any buffer", in: big + "\n1\n", want: []want{{big, 0, true}, {"1", int64(len(big)) + 1, true}}},
		{name: "exactly the limit", in: "12345\n1\n", limit: 5, want: []want{{"12345", 0, true}, {"1", 6, true}}},
		{name: "over the limit", in: "123456\n1\n", limit: 5, want: []want{{"1", 7, true}}, tooLong: 1},
		{name: "over the limit at the end", in: "1\n123456", limit: 5, want: []want{{"1", 0, true}}, tooLong: 1},
		{name: "far over the limit", in: big + "\n1\n", limit: 5, want: []want{{"1", int64(len(big)) + 1, true}}, tooLong: 1},
		{name: "over a limit above the buffer", in: big + "\n1\n", limit: 200 << 10, want: []want{{"1", int64(len(big)) + 1, true}}, tooLong: 1},
		{name: "within a limit above the buffer", in: big + "\n1\n", limit: 300 << 10, want: []want{{big, 0, true}, {"1", int64(len(big)) + 1, true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for way, in := range map[string]io.Reader{
				"whole":       strings.NewReader(tt.in),
				"byte-wise":   iotest.OneByteReader(strings.NewReader(tt.in)),
				"data-at-EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				r := jsonl.NewReader(in, tt.limit)
				lines, tooLong, end := readAll(r)
				if end != io.EOF {
					t.Fatalf("%s: ended with %v", way, end)
				}
				if tooLong != tt.tooLong {
					t.Errorf("%s: %d lines too long, want %d", way, tooLong, tt.tooLong)
				}
				if len(lines) != len(tt.want) {
					t.Fatalf("%s: %d lines, want %d", way, len(lines), len(tt.want))
				}
				for i, w := range tt.want {
					if g := lines[i]; string(g.Data) != w.data || g.Offset != w.offset || g.Terminated != w.terminated {
						t.Errorf("%s: line %d = %.40q at %d, terminated %v; want %.40q at %d, %v", way, i, g.Data, g.Offset, g.Terminated, w.data, w.offset, w.terminated)
					}
				}
				if r.Offset() != int64(len(tt.in)) {
					t.Errorf("%s: offset %d at the end, want %d", way, r.Offset(), len(tt.in))
				}
			}
		})
	}
}

// E-1: what arrived before a read error is handed out, and only then the error.
func TestReaderKeepsBytesBeforeAnError(t *testing.T) {
	broken := errors.New("broken pipe")
	r := jsonl.NewReader(io.MultiReader(strings.NewReader("1\n23"), iotest.ErrReader(broken)), 0)
	lines, _, end := readAll(r)
	if !errors.Is(end, broken) {
		t.Fatalf("ended with %v, want %v", end, broken)
	}
	if len(lines) != 2 || string(lines[1].Data) != "23" || lines[1].Terminated {
		t.Fatalf("lines = %+v", lines)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Fatalf("the error isn't sticky: %v", err)
	}
}

type custom string

func (c custom) MarshalJSON() ([]byte, error) { return []byte(c), nil }

func TestMarshal(t *testing.T) {
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"plain", map[string]any{"a": 1}, `{"a":1}`},
		{"no HTML escaping", "<a&b>", `"<a&b>"`},
		{"separators", "a\u2028b\u2029", `"a\u2028b\u2029"`},
		{"newline", "a\nb", `"a\nb"`},
		{"raw is compacted", json.RawMessage("{\n \"a\": 1\r\n}"), `{"a":1}`},
		{"raw separators", json.RawMessage("\"\u2028\""), `"\u2028"`},
		{"raw broken UTF-8", json.RawMessage("\"\xff\""), "\"\uFFFD\""},
		{"custom separators", custom("[\"\u2029\",\"<\"]"), `["\u2029","<"]`},
		{"scripts", "مرحبا 你好 👩‍💻", `"مرحبا 你好 👩‍💻"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := jsonl.Marshal(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want+"\n" {
				t.Errorf("got %q, want %q", got, tt.want+"\n")
			}
		})
	}
	if _, err := jsonl.Marshal(make(chan int)); err == nil {
		t.Error("a channel was encoded")
	}
}

// FuzzReader compares the Reader with a plain split of the whole input.
func FuzzReader(f *testing.F) {
	f.Add([]byte("{}\n\r\n[1]\r\n2"), uint8(0))
	f.Add([]byte("12345\n123456\n"), uint8(5))
	f.Fuzz(func(t *testing.T, in []byte, limit uint8) {
		lines, tooLong, end := readAll(jsonl.NewReader(bytes.NewReader(in), int(limit)))
		if end != io.EOF {
			t.Fatal(end)
		}
		var want []string
		wantLong := 0
		parts := bytes.Split(in, []byte("\n"))
		for i, p := range parts {
			if limit > 0 && len(p) > int(limit) {
				wantLong++
				continue
			}
			if i < len(parts)-1 {
				p = bytes.TrimSuffix(p, []byte("\r"))
			}
			if len(bytes.TrimSpace(p)) > 0 {
				want = append(want, string(p))
			}
		}
		if tooLong != wantLong || len(lines) != len(want) {
			t.Fatalf("%d lines and %d too long, want %d and %d", len(lines), tooLong, len(want), wantLong)
		}
		for i, l := range lines {
			if string(l.Data) != want[i] {
				t.Fatalf("line %d = %q, want %q", i, l.Data, want[i])
			}
			if !bytes.HasPrefix(in[l.Offset:], l.Data) {
				t.Fatalf("line %d isn't at its offset %d", i, l.Offset)
			}
			end := int(l.Offset) + len(l.Data)
			if l.Terminated != bytes.Contains(in[end:], []byte("\n")) {
				t.Fatalf("line %d: terminated = %v", i, l.Terminated)
			}
		}
	})
}

// FuzzRoundTrip: what Marshal writes is one line, and reads back as it was.
func FuzzRoundTrip(f *testing.F) {
	f.Add("a\nb\u2028\r\u2029<&>", "\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		in := map[string]string{"a": strings.ToValidUTF8(a, "?"), "b": strings.ToValidUTF8(b, "?")}
		out, err := jsonl.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(out) || bytes.ContainsAny(out, "\u2028\u2029\r") {
			t.Fatalf("unsafe line %q", out)
		}
		lines, _, _ := readAll(jsonl.NewReader(bytes.NewReader(append(out, out...)), 0))
		if len(lines) != 2 || !lines[0].Terminated {
			t.Fatalf("%d lines from two values", len(lines))
		}
		for _, l := range lines {
			var back map[string]string
			if err := json.Unmarshal(l.Data, &back); err != nil {
				t.Fatal(err)
			}
			if back["a"] != in["a"] || back["b"] != in["b"] {
				t.Fatalf("got %q, want %q", back, in)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	in := bytes.Repeat([]byte(`{"type":"message","text":"`+strings.Repeat("x", 400)+"\"}\n"), 10_000)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if lines, _, _ := countLines(in); lines != 10_000 {
			b.Fatal(lines)
		}
	}
}

func countLines(in []byte) (n, size int, err error) {
	r := jsonl.NewReader(bytes.NewReader(in), 0)
	for {
		line, err := r.Next()
		if err != nil {
			return n, size, err
		}
		n++
		size += len(line.Data)
	}
}

func TestValue(t *testing.T) {
	got, err := jsonl.Value(map[string]any{"a": "<b> & \u2028", "n": []int{1}})
	if want := `{"a":"<b> & \u2028","n":[1]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := jsonl.Value(func() {}); err == nil || got != nil {
		t.Errorf("a func is %s", got)
	}
}
