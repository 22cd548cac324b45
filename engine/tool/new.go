package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Option adds a power to a tool made by New.
type Option[A any] func(*typed[A])

// Described makes the tool a Describer.
func Described[A any](f func(context.Context, Call, A) (Description, error)) Option[A] {
	return func(t *typed[A]) { t.describe = f }
}

// Previewed makes the tool a Previewer.
func Previewed[A any](f func(context.Context, Call, A) (diff string, err error)) Option[A] {
	return func(t *typed[A]) { t.preview = f }
}

// Tuned lets f refine the inferred schema, for what a struct tag can't say:
// enums and bounds.
func Tuned[A any](f func(*jsonschema.Schema)) Option[A] {
	return func(t *typed[A]) { t.tune = f }
}

// New returns a tool whose arguments are decoded into an A. Unless
// spec.Parameters is set, the schema is inferred from A: the json tag names a
// field and makes it optional (omitempty), the jsonschema tag describes it. A
// type that has no schema makes a tool whose every call fails.
func New[A any](spec Spec, run func(context.Context, Call, A) (Result, error), opts ...Option[A]) Tool {
	t := &typed[A]{run: run}
	for _, o := range opts {
		o(t)
	}
	if spec.Parameters == nil {
		spec.Parameters, t.broken = infer[A](t.tune)
	}
	if t.broken == nil {
		spec, t.broken = spec.Compile()
	}
	if spec.Label == "" {
		spec.Label = spec.Name
	}
	t.spec = spec
	switch {
	case t.describe != nil && t.preview != nil:
		return full[A]{described[A]{t}}
	case t.describe != nil:
		return described[A]{t}
	}
	return t
}

type typed[A any] struct {
	spec     Spec
	run      func(context.Context, Call, A) (Result, error)
	describe func(context.Context, Call, A) (Description, error)
	preview  func(context.Context, Call, A) (string, error)
	tune     func(*jsonschema.Schema)
	broken   error // why the tool can't be called
}

func (t *typed[A]) Spec() Spec { return t.spec }

func (t *typed[A]) Run(ctx context.Context, c Call) (Result, error) {
	a, err := t.arguments(c)
	if err != nil {
		return Result{}, err
	}
	return t.run(ctx, c, a)
}

func (t *typed[A]) arguments(c Call) (a A, err error) {
	if t.broken != nil {
		return a, t.broken
	}
	if err := json.Unmarshal(c.Arguments, &a); err != nil {
		return a, fmt.Errorf("arguments of %s: %w", t.spec.Name, err)
	}
	return a, nil
}

// described and full give a tool the optional interfaces it has funcs for, so
// that a type assertion tells the truth.
type described[A any] struct{ *typed[A] }

func (t described[A]) Describe(ctx context.Context, c Call) (Description, error) {
	a, err := t.arguments(c)
	if err != nil {
		return Description{}, err
	}
	return t.describe(ctx, c, a)
}

type full[A any] struct{ described[A] }

func (t full[A]) Preview(ctx context.Context, c Call) (string, error) {
	a, err := t.arguments(c)
	if err != nil {
		return "", err
	}
	return t.preview(ctx, c, a)
}
