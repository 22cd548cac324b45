package themes

// Schema returns the JSON schema of a theme, for editors.
func Schema() []byte {
	data, _ := files.ReadFile("schema.json") // it is embedded
	return data
}
