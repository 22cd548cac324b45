package js

import (
	"embed"
	"strings"
)

//go:embed starter
var starter embed.FS

// starterName is what the files of the starter call it.
const starterName = "my-extension"

// Starter are the files of an extension to begin with, by their names. It is
// called by name, which must be fit for a package's.
func Starter(name string) map[string]string {
	files := map[string]string{}
	for _, file := range []string{"index.ts", "package.json", "hoopoe.d.ts"} {
		text, err := starter.ReadFile("starter/" + file)
		if err == nil {
			files[file] = strings.ReplaceAll(string(text), starterName, name)
		}
	}
	return files
}
