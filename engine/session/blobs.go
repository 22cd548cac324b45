package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

const (
	blobPrefix = "blob:sha256:"
	maxBlob    = 32 << 20 // bytes of one image
)

// resolveBlobs puts the images back that another program of the family has
// moved out of the session. A reference that cannot be followed stays.
func resolveBlobs(blocks []message.Block, folder string) {
	if folder == "" {
		return
	}
	for i, b := range blocks {
		if b.Type != message.ImageBlock || !strings.HasPrefix(b.Data, blobPrefix) {
			continue
		}
		if data, ok := readBlob(folder, strings.TrimPrefix(b.Data, blobPrefix)); ok {
			blocks[i].Data = data
		}
	}
}

// readBlob returns a blob in base64. The name comes from the file and must be
// a checksum, which the content has to match.
func readBlob(folder, sum string) (string, bool) {
	want, err := hex.DecodeString(sum)
	if err != nil || len(want) != sha256.Size {
		return "", false
	}
	path := filepath.Join(folder, strings.ToLower(sum))
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", false // opening a pipe would wait for ever
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBlob+1))
	if err != nil || len(data) > maxBlob || sha256.Sum256(data) != [sha256.Size]byte(want) {
		return "", false
	}
	return base64.StdEncoding.EncodeToString(data), true
}
