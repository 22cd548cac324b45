package config

import (
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

//go:embed schema.json
var files embed.FS

// Schema returns the JSON schema of settings.json, for editors.
func Schema() []byte {
	data, _ := files.ReadFile("schema.json") // it is embedded
	return data
}

// property is what the schema says of one key.
type property struct {
	Description string              `json:"description"`
	Properties  map[string]property `json:"properties"`
}

// About tells in a few words what a dotted key of the settings is; "" for one that
// the schema says nothing of.
func About(key string) string {
	var p property
	if json.Unmarshal(Schema(), &p) != nil {
		return "" // it is embedded, and tested
	}
	for part := range strings.SplitSeq(key, ".") {
		p = p.Properties[part]
	}
	return p.Description
}

// Starter returns a settings file to begin with: every key with its default and
// what it is about, behind slashes. Each line stands for itself.
func Starter() ([]byte, error) {
	var schema property
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		return nil, fmt.Errorf("read the schema of settings: %w", err)
	}
	var b strings.Builder
	b.WriteString(`{
  // Settings of Hoopoe. Take the slashes from the beginning of a line to change it;
  // what is left out keeps the value that stands here. "hoopoe config check" finds
  // mistakes, "hoopoe config show" tells what holds.
`)
	err := writeStarter(&b, reflect.ValueOf(Defaults()), schema, "  ")
	b.WriteString("}\n")
	return []byte(b.String()), err
}

func writeStarter(b *strings.Builder, v reflect.Value, schema property, indent string) error {
	for _, f := range reflect.VisibleFields(v.Type()) {
		name := f.Tag.Get("json")
		p := schema.Properties[name]
		if f.Type.Kind() == reflect.Struct {
			fmt.Fprintf(b, "\n%s// %s\n%s%q: {\n", indent, p.Description, indent, name)
			if err := writeStarter(b, v.FieldByIndex(f.Index), p, indent+"  "); err != nil {
				return err
			}
			b.WriteString(indent + "},\n")
			continue
		}
		value, err := json.Marshal(initial(v.FieldByIndex(f.Index), f.Tag))
		if err != nil {
			return fmt.Errorf("the default of %s: %w", name, err)
		}
		line := fmt.Sprintf("%s// %q: %s,", indent, name, value)
		if p.Description != "" {
			line += " // " + p.Description
		}
		b.WriteString(line + "\n")
	}
	return nil
}

// initial is the value that a file may state for a key without changing it.
func initial(v reflect.Value, tag reflect.StructTag) any {
	switch {
	case v.Type() == rawObject || v.Type() == hookList:
		return struct{}{}
	case v.Kind() == reflect.Slice && v.IsNil():
		return []string{}
	case v.Kind() == reflect.String && tag.Get("oneof") != "" && v.String() == "":
		return nil // no choice of the list
	}
	return v.Interface()
}
