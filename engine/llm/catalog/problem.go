package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Problem is a fault of the user's file.
type Problem struct {
	Line, Column int    // from 1, columns in bytes; 0 where there is no place in the file
	Path         string // such as providers.lab.models[0].id; "" for the whole file
	Text         string // what is wrong; without values, which may be secrets

	steps []string // of Path
}

// Error reads "path: text".
func (p Problem) Error() string {
	if p.Path == "" {
		return p.Text
	}
	return p.Path + ": " + p.Text
}

// damage is a place where the text is no JSON.
type damage struct{ line, column int }

func (d *damage) Error() string {
	return fmt.Sprintf("line %d, column %d: the JSON is damaged", d.line, d.column)
}

// problemsShown is how many problems an error names.
const problemsShown = 10

func report(problems []Problem) error {
	var errs []error
	for i, p := range problems {
		if i == problemsShown {
			errs = append(errs, fmt.Errorf("and %d more", len(problems)-i))
			break
		}
		errs = append(errs, p)
	}
	return errors.Join(errs...)
}

// Check reads a models.json to tell all that is wrong with it, each at its
// place. A file that doesn't exist has no faults.
func Check(path string) ([]Problem, error) {
	data, err := readAll(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, problems, err := parse(data)
	broken, ok := errors.AsType[*damage](err)
	switch {
	case ok:
		return []Problem{{Line: broken.line, Column: broken.column, Text: "the JSON is damaged"}}, nil
	case err != nil:
		return []Problem{{Text: err.Error()}}, nil
	}
	for i, p := range problems {
		problems[i].Line, problems[i].Column = position(data, offset(data, p.steps))
	}
	return problems, nil
}

// offset is where the last of the steps begins that the document has.
func offset(data []byte, steps []string) int {
	dec := json.NewDecoder(bytes.NewReader(data))
	at := next(data, dec)
	for _, step := range steps {
		inner, ok := enter(data, dec, step)
		if !ok {
			break
		}
		at = inner
	}
	return at
}

// enter goes into the object or list that comes next, up to the value of step,
// and returns where the value's name, or the value without one, begins.
func enter(data []byte, dec *json.Decoder, step string) (at int, ok bool) {
	opening, err := dec.Token()
	if err != nil || opening != json.Delim('{') && opening != json.Delim('[') {
		return 0, false
	}
	for i := 0; dec.More(); i++ {
		at, name := next(data, dec), strconv.Itoa(i)
		if opening == json.Delim('{') {
			key, err := dec.Token()
			if err != nil {
				return 0, false
			}
			name, _ = key.(string)
		}
		if name == step {
			return at, true
		}
		var other json.RawMessage
		if dec.Decode(&other) != nil {
			return 0, false
		}
	}
	return 0, false
}

// next is where the next token begins.
func next(data []byte, dec *json.Decoder) int {
	at := int(dec.InputOffset())
	for at < len(data) && strings.IndexByte(" \t\r\n,:", data[at]) >= 0 {
		at++
	}
	return at
}

func position(data []byte, offset int) (line, column int) {
	before := data[:min(max(offset, 0), len(data))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
