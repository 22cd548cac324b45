package remote

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// NewToken returns 256 random bits in letters that need no escaping.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// ReadToken reads a token from a file. One that isn't there is made, readable
// for its user alone. An empty one is an error: it never means "no token".
func ReadToken(path string) (token string, made bool, err error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		token = NewToken()
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return "", false, fmt.Errorf("make the token file: %w", err)
		}
		_, err = f.WriteString(token + "\n")
		return token, true, errors.Join(err, f.Close())
	case err != nil:
		return "", false, fmt.Errorf("read the token: %w", err)
	}
	token = strings.TrimSpace(string(data))
	return token, false, CheckToken(token, "the token file "+path)
}

// CheckToken says whether a token can be one. where is for the error.
func CheckToken(token, where string) error {
	switch {
	case strings.TrimSpace(token) == "":
		return &ConfigError{where + " is empty: put a long random text there, or take it away"}
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return &ConfigError{where + " holds blanks or letters that are not ASCII: use letters, digits and - _"}
	}
	return nil
}
