package mcp

//lint:file-ignore SA1019 the latest protocol drops roots; the servers of today know them

import (
	"net/url"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// capabilities of this client, but for questions: it has roots, and they stay
// as they are while a link is up.
func capabilities() *sdk.ClientCapabilities {
	return &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}}
}

func addRoots(c *sdk.Client, dirs []string) {
	for _, dir := range dirs {
		c.AddRoots(&sdk.Root{URI: fileURI(dir), Name: filepath.Base(dir)})
	}
}

// fileURI writes an absolute path as an address, also one with a drive letter.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
