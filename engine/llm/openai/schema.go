package openai

import (
	"encoding/json"
	"slices"
)

// schemaDepth bounds how deep a strict schema nests.
const schemaDepth = 8

// schemaOf reads a tool's parameters. The values keep their own text, and so
// the order of the properties.
func schemaOf(raw json.RawMessage) map[string]any {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || len(fields) == 0 {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	schema := make(map[string]any, len(fields))
	for name, value := range fields {
		schema[name] = value
	}
	if _, ok := schema["type"]; !ok {
		schema["type"] = "object"
	}
	if _, ok := schema["properties"]; !ok {
		schema["properties"] = map[string]any{} // OpenAI refuses an object without
	}
	return schema
}

// strictKeywords are what the subset of JSON Schema for strict tools knows.
var strictKeywords = []string{
	"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs",
	"description", "title", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "pattern",
}

// strict reports whether a schema qualifies for strict mode as it is: closed
// objects with every property required, and no keyword beyond the subset.
// Others could only be made to by letting the model send null for what it
// leaves out, which the tools would have to understand.
func strict(raw json.RawMessage) bool {
	var schema map[string]any
	if json.Unmarshal(raw, &schema) != nil || schema["type"] != "object" || schema["anyOf"] != nil {
		return false
	}
	return strictNode(schema, schemaDepth)
}

func strictNode(node map[string]any, depth int) bool {
	if depth == 0 {
		return false
	}
	for keyword := range node {
		if !slices.Contains(strictKeywords, keyword) {
			return false
		}
	}
	if node["type"] == nil && node["$ref"] == nil && node["anyOf"] == nil && node["enum"] == nil && node["const"] == nil {
		return false
	}
	properties, isObject := node["properties"].(map[string]any)
	if isObject || node["type"] == "object" {
		required, _ := node["required"].([]any)
		if node["additionalProperties"] != false || len(required) != len(properties) {
			return false
		}
		for name, child := range properties {
			if !slices.Contains(required, any(name)) || !strictChild(child, depth) {
				return false
			}
		}
	}
	if node["type"] == "array" && node["items"] == nil {
		return false
	}
	if items, ok := node["items"]; ok && !strictChild(items, depth) {
		return false
	}
	if definitions, ok := node["$defs"].(map[string]any); ok {
		for _, child := range definitions {
			if !strictChild(child, depth) {
				return false
			}
		}
	}
	choices, _ := node["anyOf"].([]any)
	for _, child := range choices {
		if !strictChild(child, depth) {
			return false
		}
	}
	return true
}

func strictChild(child any, depth int) bool {
	node, ok := child.(map[string]any)
	return ok && strictNode(node, depth-1)
}
