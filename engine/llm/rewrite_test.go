package llm

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What is sent is what Rewrite made of the body, with its length; without one
// the client is the same.
func TestRewrite(t *testing.T) {
	var got string
	var length int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, length = string(body), r.ContentLength
	}))
	defer server.Close()
	if (Request{}).Client(server.Client()) != server.Client() {
		t.Error("another client without need")
	}
	r := Request{Rewrite: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("a"), []byte("long")) }}
	res, err := r.Client(server.Client()).Post(server.URL, "application/json", strings.NewReader(`{"a":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if want := `{"long":"long"}`; got != want || length != int64(len(want)) {
		t.Errorf("sent %q of %d bytes, want %q", got, length, want)
	}
	if res, err = r.Client(server.Client()).Get(server.URL); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
}
