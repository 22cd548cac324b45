package remote

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
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

// maxToken is the longest file of a token, in bytes.
const maxToken = 4096

// ReadToken reads a token from a file. One that isn't there is made, readable
// for its user alone. An empty one is an error: it never means "no token".
func ReadToken(path string) (token string, made bool, err error) {
	f, err := os.Open(path)
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
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	switch {
	case err != nil:
		return "", false, fmt.Errorf("read the token: %w", err)
	case len(data) > maxToken:
		return "", false, &ConfigError{fmt.Sprintf("the token file %s has more than %d bytes: give the file of a token", path, maxToken)}
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
