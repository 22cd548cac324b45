package js

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
)

// Agent runs the module at path, outside of any session, to learn what agent it
// exports. The extension gives the tools that the module defines to each session
// that it is loaded into; the agent names them. What is wrong is a *spec.Error,
// or several joined.
func (m *Modules) Agent(ctx context.Context, path string, granted []string) (*spec.Agent, ext.Extension, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &spec.Error{Code: spec.NotFound, Path: path, Text: "there is no such file"}
	}
	module, err := m.Inspect(ctx, path)
	if err != nil {
		return nil, nil, invalid(path, err)
	}
	e := &agentModule{extension{modules: m, module: module, granted: granted}}
	in, options, err := e.read(ctx, Dry(""))
	if err != nil {
		return nil, nil, invalid(path, err)
	}
	in.close()
	a, err := spec.Decode(module.Path, options)
	if err != nil {
		return nil, nil, err
	}
	if a.Name == "" {
		a.Name = module.Name
	}
	return a, e, nil
}

func invalid(path string, err error) error {
	return &spec.Error{Code: spec.Invalid, Path: path, Text: err.Error(), Err: err}
}

// agentModule is the part in a session of an agent that is a module.
type agentModule struct{ extension }

// read runs the module and returns the options that it exports, as JSON.
func (e *agentModule) read(ctx context.Context, s ext.Session) (*instance, []byte, error) {
	in, exported, err := e.start(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	options, err := in.await(ctx, "agent", exported)
	if err == nil && options == nil {
		err = fmt.Errorf("the module exports no agent")
	}
	if err != nil {
		in.close()
		return nil, nil, err
	}
	return in, options, nil
}

func (e *agentModule) Load(ctx context.Context, s ext.Session) (*ext.Instance, error) {
	in, _, err := e.read(ctx, s)
	if err != nil {
		return nil, err
	}
	return in.loaded(), nil
}
