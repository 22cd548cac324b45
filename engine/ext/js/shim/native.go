package shim

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
)

// maxRandom bounds what one call draws, in bytes.
const maxRandom = 1 << 20

// natives is all that the modules call in Go.
func (s *shims) natives() {
	s.fileNatives()
	s.webNatives()
	s.processNatives()
	s.set("log", func(c sobek.FunctionCall) (sobek.Value, error) {
		for line := range strings.SplitSeq(c.Argument(1).String(), "\n") {
			s.opts.Log(c.Argument(0).String(), line)
		}
		return nil, nil
	})
	s.set("setTimer", func(c sobek.FunctionCall) (sobek.Value, error) {
		ms := c.Argument(1).ToFloat()
		if !(ms >= 1) { // also what isn't a number
			ms = 1
		}
		after := time.Duration(min(ms, 1<<31-1) * float64(time.Millisecond))
		if sobek.IsNull(c.Argument(1)) {
			after = 0 // setImmediate
		}
		id, err := s.SetTimer(c.Argument(0), after, c.Argument(2).ToBoolean(), c.Arguments[min(3, len(c.Arguments)):]...)
		return s.rt.ToValue(id), err
	})
	s.set("clearTimer", func(c sobek.FunctionCall) (sobek.Value, error) {
		s.ClearTimer(c.Argument(0).ToInteger())
		return nil, nil
	})
	s.set("now", func(sobek.FunctionCall) (sobek.Value, error) {
		return s.rt.ToValue(float64(s.opts.Now().Sub(s.start)) / float64(time.Millisecond)), nil
	})
	s.set("encode", func(c sobek.FunctionCall) (sobek.Value, error) {
		return s.encode(bytesOf(c.Argument(0)), c.Argument(1).String())
	})
	s.set("decode", func(c sobek.FunctionCall) (sobek.Value, error) {
		b, err := decode(c.Argument(0), c.Argument(1).String())
		return s.rt.ToValue(s.rt.NewArrayBuffer(b)), err
	})
	s.set("validUTF8", func(c sobek.FunctionCall) (sobek.Value, error) {
		return s.rt.ToValue(utf8.Valid(bytesOf(c.Argument(0)))), nil
	})
	s.set("random", func(c sobek.FunctionCall) (sobek.Value, error) {
		n := c.Argument(0).ToInteger()
		if n < 0 || n > maxRandom {
			return nil, &loop.Error{Name: "RangeError", Message: fmt.Sprintf("%d random bytes are out of range", n)}
		}
		b := make([]byte, n)
		_, _ = rand.Read(b) // never fails
		return s.rt.ToValue(s.rt.NewArrayBuffer(b)), nil
	})
	s.set("hash", func(c sobek.FunctionCall) (sobek.Value, error) {
		sum, err := digest(c.Argument(0).String(), bytesOf(c.Argument(1)), c.Argument(2))
		return s.rt.ToValue(s.rt.NewArrayBuffer(sum)), err
	})
}

// digest hashes data, keyed if there is a key.
func digest(name string, data []byte, key sobek.Value) ([]byte, error) {
	algorithms := map[string]func() hash.Hash{
		"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
	}
	algorithm := algorithms[strings.ReplaceAll(strings.ToLower(name), "-", "")]
	if algorithm == nil {
		return nil, &loop.Error{Message: "Digest method not supported: " + name}
	}
	h := algorithm()
	if !sobek.IsUndefined(key) {
		h = hmac.New(algorithm, bytesOf(key))
	}
	h.Write(data)
	return h.Sum(nil), nil
}

// encode makes text of bytes.
func (s *shims) encode(b []byte, encoding string) (sobek.Value, error) {
	switch encoding {
	case "utf8":
		return s.rt.ToValue(validText(b)), nil
	case "hex":
		return s.rt.ToValue(hex.EncodeToString(b)), nil
	case "base64":
		return s.rt.ToValue(base64.StdEncoding.EncodeToString(b)), nil
	case "base64url":
		return s.rt.ToValue(base64.RawURLEncoding.EncodeToString(b)), nil
	case "latin1", "ascii":
		units := make([]uint16, len(b))
		for i, c := range b {
			units[i] = uint16(c)
			if encoding == "ascii" {
				units[i] &= 0x7f
			}
		}
		return sobek.StringFromUTF16(units), nil
	case "utf16le":
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		return sobek.StringFromUTF16(units), nil
	}
	return nil, unknownEncoding(encoding)
}

// validText reads UTF-8 with a replacement character for each longest piece of a
// character that isn't whole, as browsers do.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var text strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = brokenLength(b)
		}
		text.WriteRune(r)
		b = b[n:]
	}
	return text.String()
}

// brokenLength is how many bytes at the start begin one character.
func brokenLength(b []byte) int {
	low, high, need := byte(0x80), byte(0xbf), 0
	switch c := b[0]; {
	case c >= 0xc2 && c <= 0xdf:
		need = 1
	case c >= 0xe0 && c <= 0xef:
		need = 2
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		need = 3
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for n <= need && n < len(b) && b[n] >= low && b[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}

// decode makes bytes of text.
func decode(v sobek.Value, encoding string) ([]byte, error) {
	text := v.String()
	switch encoding {
	case "utf8":
		return []byte(strings.ToValidUTF8(text, "\uFFFD")), nil
	case "hex":
		n := 0
		for n+1 < len(text) && isHex(text[n]) && isHex(text[n+1]) {
			n += 2
		}
		return hex.DecodeString(text[:n])
	case "base64", "base64url":
		return lenientBase64(text), nil
	case "latin1", "ascii", "utf16le":
		units := utf16.Encode([]rune(text))
		b := make([]byte, 0, 2*len(units))
		for _, u := range units {
			if b = append(b, byte(u)); encoding == "utf16le" {
				b = append(b, byte(u>>8))
			}
		}
		return b, nil
	}
	return nil, unknownEncoding(encoding)
}

func unknownEncoding(name string) error {
	return &loop.Error{Name: "TypeError", Message: "Unknown encoding: " + name, Code: "ERR_UNKNOWN_ENCODING"}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// lenientBase64 takes both alphabets, skips what belongs to neither and stops
// at the padding, as Node does.
func lenientBase64(text string) []byte {
	text, _, _ = strings.Cut(text, "=")
	clean := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c == '-':
			clean = append(clean, '+')
		case c == '_':
			clean = append(clean, '/')
		case c == '+' || c == '/' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			clean = append(clean, c)
		}
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	b, _ := base64.RawStdEncoding.DecodeString(string(clean)) // leftover bits are no error here
	return b
}

// processNatives are the process's surroundings.
func (s *shims) processNatives() {
	s.set("allowed", func(c sobek.FunctionCall) (sobek.Value, error) {
		return nil, s.allowed(c.Argument(0).String(), c.Argument(1).String())
	})
	s.set("cwd", func(sobek.FunctionCall) (sobek.Value, error) { return s.rt.ToValue(s.cwd()), nil })
	s.set("environ", func(sobek.FunctionCall) (sobek.Value, error) {
		if err := s.allowed("env", "process.env"); err != nil {
			return nil, err
		}
		o := s.rt.NewObject()
		for _, pair := range s.opts.Environ {
			if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
				_ = o.Set(name, value)
			}
		}
		return o, nil
	})
	s.set("home", func(sobek.FunctionCall) (sobek.Value, error) {
		return s.rt.ToValue(s.opts.Home), s.allowed("env", "os.homedir")
	})
	s.set("user", func(sobek.FunctionCall) (sobek.Value, error) {
		name := filepath.Base(s.opts.Home)
		for _, pair := range s.opts.Environ {
			if v, ok := strings.CutPrefix(pair, "USER="); ok && v != "" {
				name = v
			}
		}
		return s.rt.ToValue(name), s.allowed("env", "os.userInfo")
	})
	s.set("host", func(sobek.FunctionCall) (sobek.Value, error) {
		if err := s.allowed("env", "os.hostname"); err != nil {
			return nil, err
		}
		name, err := os.Hostname()
		return s.rt.ToValue(name), err
	})
	s.set("agentDir", func(sobek.FunctionCall) (sobek.Value, error) {
		dir := s.opts.AgentDir
		if dir == "" {
			dir = filepath.Join(s.opts.Home, ".config", "hoopoe")
		}
		return s.rt.ToValue(dir), s.allowed("env", "getAgentDir")
	})
	platform, arch := runtime.GOOS, runtime.GOARCH
	if platform == "windows" {
		platform = "win32"
	}
	if arch == "amd64" {
		arch = "x64"
	}
	_ = s.native.Set("platform", platform)
	_ = s.native.Set("arch", arch)
	_ = s.native.Set("cpus", runtime.NumCPU())
	_ = s.native.Set("tmpdir", strings.TrimRight(os.TempDir(), `/\`))
	s.execNatives()
}
