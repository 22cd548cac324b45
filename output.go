package main

import (
	"os"
	"sync"
)

// output is the standard output. It keeps its first failure, so that whoever
// prints a line need not look: run does, in the end.
type output struct {
	file *os.File

	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (o *output) Write(data []byte) (int, error) {
	n, err := o.file.Write(data)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// failure is why something could not be written; nil when all of it was.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
