package session

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// maxFolderName is the longest name that file systems take, in bytes.
const maxFolderName = 255

// FolderName is the name of the folder that holds the sessions about a
// working directory: --home-u-app-- for /home/u/app. Where that would be too
// long its end gives way to a sum of the whole.
func FolderName(cwd string) string {
	trimmed := strings.TrimPrefix(strings.TrimPrefix(cwd, "/"), `\`)
	name := "--" + dashes(trimmed) + "--"
	if len(name) <= maxFolderName {
		return name
	}
	sum := sha256.Sum256([]byte(cwd))
	tail := "-" + hex.EncodeToString(sum[:8]) + "--"
	return strings.ToValidUTF8(name[:maxFolderName-len(tail)], "") + tail
}

func dashes(path string) string {
	return strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(path)
}

// Folders returns the folders under root that may hold sessions about cwd. The
// first is where new ones go; the others are the names that one branch of the
// family uses inside the home and the temporary folder. Empty home or tmp are
// left out.
func Folders(root, cwd, home, tmp string) []string {
	folders := []string{filepath.Join(root, FolderName(cwd))}
	add := func(name string) {
		if len(name) <= maxFolderName {
			folders = append(folders, filepath.Join(root, name))
		}
	}
	real := resolved(cwd)
	if real != cwd {
		add(FolderName(real))
	}
	if rel, ok := below(resolved(home), real); ok {
		add("-" + dashes(rel))
	} else if rel, ok := below(resolved(tmp), real); ok {
		add(strings.TrimSuffix("-tmp-"+dashes(rel), "-"))
	}
	return folders
}

// below returns path relative to base, "" for base itself.
func below(base, path string) (string, bool) {
	if base == "" {
		return "", false
	}
	rel, err := filepath.Rel(base, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	if rel == "." {
		rel = ""
	}
	return rel, true
}

func resolved(path string) string {
	if path == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// AllFolders returns the folders of all working directories under root.
func AllFolders(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "-") {
			folders = append(folders, filepath.Join(root, e.Name()))
		}
	}
	return folders, nil
}
