// Package auth finds the API key of a provider and keeps the ones that the
// user has saved.
//
//	--api-key -> auth.json -> environment variables of the provider -> none
//
// auth.json holds one object for each provider:
//
//	{"anthropic": {"type": "api_key", "key": "sk-..."}}
//
// A key there, or in models.json, may also name where it is: "$NAME" or the
// bare NAME of an environment variable that is set, or "!command" whose
// output it is. Entries of other types belong to other programs; they are
// skipped and kept.
//
// The environment and the running of commands come in through Options. Keys
// are never part of an error.
package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
	"github.com/hoopoe-agent/hoopoe/engine/internal/filelock"
	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
)

// Options are what Keys needs from outside.
type Options struct {
	// Path is auth.json; "" keeps no keys.
	Path string
	// Lock is the lock file for changes of Path; "" puts it beside Path.
	Lock string
	// Getenv looks up an environment variable, "" if it isn't set.
	Getenv func(string) string
	// Run runs a shell command and returns its standard output. nil refuses
	// keys of the form "!command".
	Run func(ctx context.Context, command string) (string, error)
	// Explicit are keys from the command line by provider id.
	Explicit map[string]string
	// Found, if set, is told every key that is handed out, so that logs can
	// mask it.
	Found func(secret string)
}

// Key is a credential and where it was found: "flag", "auth.json", the name
// of an environment variable as "$NAME", or the command as "!command".
type Key struct {
	Value  string
	Source string
}

// Keys looks keys up. It reads auth.json anew on each call, since a login in
// another window must count; outputs of commands are kept, since a password
// manager may ask the user each time.
type Keys struct {
	o       Options
	mu      sync.Mutex        // held while a command runs: one question at a time
	outputs map[string]string // guarded by mu: command -> key
}

// New returns Keys over o.
func New(o Options) *Keys {
	if o.Lock == "" {
		o.Lock = o.Path + ".lock"
	}
	return &Keys{o: o, outputs: map[string]string{}}
}

// entry is one provider's object in auth.json.
type entry struct {
	Type string `json:"type"`
	Key  string `json:"key"`
}

const typeAPIKey = "api_key"

// Key returns the key of a provider. ok is false, without an error, when there
// is none. An error means that there is one but it can't be read: the file is
// damaged, the named variable isn't set, the command failed.
func (k *Keys) Key(ctx context.Context, provider string) (key Key, ok bool, err error) {
	if v := k.o.Explicit[provider]; v != "" {
		return k.hand(Key{v, "flag"})
	}
	saved, err := k.read()
	if err != nil {
		return Key{}, false, err
	}
	if e, found := decode(saved[provider]); found {
		key, err := k.Resolve(ctx, e.Key)
		if err != nil {
			return Key{}, false, fmt.Errorf("key of %s in %s: %w", provider, k.o.Path, err)
		}
		if key.Source == "" {
			key.Source = "auth.json"
		}
		return k.hand(key)
	}
	for _, name := range Variables(provider) {
		if v := strings.TrimSpace(k.o.Getenv(name)); v != "" {
			return k.hand(Key{v, "$" + name})
		}
	}
	return Key{}, false, nil
}

func (k *Keys) hand(key Key) (Key, bool, error) {
	if k.o.Found != nil {
		k.o.Found(key.Value)
	}
	return key, true, nil
}

// Resolve turns the text of a key into the key: "$NAME" and "!command" are
// looked up, as is the bare name of a variable that is set; anything else is
// the key itself and has no source.
func (k *Keys) Resolve(ctx context.Context, text string) (Key, error) {
	text = strings.TrimSpace(text)
	if name, ok := strings.CutPrefix(text, "$"); ok {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "{"), "}")
		v := strings.TrimSpace(k.o.Getenv(name))
		if v == "" {
			return Key{}, fmt.Errorf("the environment variable %s is not set", name)
		}
		return k.found(Key{v, "$" + name}), nil
	}
	if command, ok := strings.CutPrefix(text, "!"); ok {
		v, err := k.output(ctx, command)
		return Key{v, "!" + command}, err
	}
	if text == "" {
		return Key{}, errors.New("the key is empty")
	}
	if isVariable(text) {
		if v := strings.TrimSpace(k.o.Getenv(text)); v != "" {
			return k.found(Key{v, "$" + text}), nil
		}
	}
	return k.found(Key{Value: text}), nil
}

func (k *Keys) found(key Key) Key {
	key, _, _ = k.hand(key)
	return key
}

// output runs a command once and remembers what it printed.
func (k *Keys) output(ctx context.Context, command string) (string, error) {
	if k.o.Run == nil {
		return "", errors.New("keys from a command are not available here")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if v, ok := k.outputs[command]; ok {
		return v, nil
	}
	out, err := k.o.Run(ctx, command)
	if err != nil {
		return "", fmt.Errorf("the command %q failed: %w", command, err)
	}
	v := strings.TrimSpace(out)
	if v == "" || strings.ContainsAny(v, "\n\r") {
		return "", fmt.Errorf("the command %q must print the key and nothing else", command)
	}
	k.outputs[command] = v
	k.hand(Key{Value: v})
	return v, nil
}

// isVariable reports whether text can be the name of an environment variable.
func isVariable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) < 0
}

// Saved lists the providers that have a key in auth.json, sorted.
func (k *Keys) Saved() ([]string, error) {
	saved, err := k.read()
	if err != nil {
		return nil, err
	}
	var providers []string
	for _, provider := range slices.Sorted(maps.Keys(saved)) {
		if _, ok := decode(saved[provider]); ok {
			providers = append(providers, provider)
		}
	}
	return providers, nil
}

// Has reports whether a key for provider is configured, without running a
// command or looking at its value.
func (k *Keys) Has(provider string) bool {
	if k.o.Explicit[provider] != "" {
		return true
	}
	if saved, err := k.read(); err == nil {
		if _, ok := decode(saved[provider]); ok {
			return true
		}
	}
	return slices.ContainsFunc(Variables(provider), func(name string) bool {
		return strings.TrimSpace(k.o.Getenv(name)) != ""
	})
}

// Set saves the key of a provider. The file is made readable for the user
// alone, whatever it was before.
func (k *Keys) Set(ctx context.Context, provider, key string) error {
	if provider == "" || strings.TrimSpace(key) == "" {
		return errors.New("save key: provider and key must not be empty")
	}
	src, err := json.Marshal(entry{typeAPIKey, strings.TrimSpace(key)})
	if err != nil {
		return fmt.Errorf("save key of %s: %w", provider, err)
	}
	return k.update(ctx, func(saved map[string]json.RawMessage) { saved[provider] = src })
}

// Remove forgets the saved key of a provider. It is no error if there is none.
func (k *Keys) Remove(ctx context.Context, provider string) error {
	return k.update(ctx, func(saved map[string]json.RawMessage) { delete(saved, provider) })
}

func (k *Keys) update(ctx context.Context, change func(map[string]json.RawMessage)) error {
	if k.o.Path == "" {
		return errors.New("no home folder for keys: set HOME or HOOPOE_DIR, or use an environment variable")
	}
	return filelock.With(ctx, k.o.Lock, func() error {
		saved, err := k.read()
		if err != nil {
			return err
		}
		change(saved)
		src, err := json.MarshalIndent(saved, "", "  ")
		if err != nil {
			return fmt.Errorf("save keys: %w", err)
		}
		return atomicfile.Write(k.o.Path, append(src, '\n'), atomicfile.Options{Mode: 0o600, ForceMode: true, DirMode: 0o700, Sync: true})
	})
}

// maxFile bounds auth.json, in bytes.
const maxFile = 1 << 20

func (k *Keys) read() (map[string]json.RawMessage, error) {
	saved := map[string]json.RawMessage{}
	if k.o.Path == "" {
		return saved, nil
	}
	src, err := plainfile.Read(k.o.Path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return saved, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	if err := json.Unmarshal(src, &saved); err != nil {
		// The decoder's own text could quote a part of a key.
		at := ""
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = fmt.Sprintf(" at byte %d", syntax.Offset)
		}
		return nil, fmt.Errorf("%s is damaged%s: repair it, or delete it and log in again", k.o.Path, at)
	}
	if saved == nil { // the document was null
		saved = map[string]json.RawMessage{}
	}
	return saved, nil
}

// decode reports whether an entry is an API key.
func decode(src json.RawMessage) (entry, bool) {
	var e entry
	ok := len(src) > 0 && json.Unmarshal(src, &e) == nil && e.Type == typeAPIKey && strings.TrimSpace(e.Key) != ""
	return e, ok
}

// Warning says what is wrong with the permissions of auth.json, "" if nothing
// is.
func (k *Keys) Warning() string {
	if k.o.Path == "" || runtime.GOOS == "windows" {
		return "" // Windows has no such bits; the profile folder is private
	}
	info, err := os.Stat(k.o.Path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("%s can be read by other users (mode %04o); run: chmod 600 %s", k.o.Path, info.Mode().Perm(), k.o.Path)
}
