package catalog

import "embed"

//go:embed schema.json
var files embed.FS

// Schema returns the JSON schema of models.json, for editors.
func Schema() []byte {
	data, _ := files.ReadFile("schema.json") // it is embedded
	return data
}
