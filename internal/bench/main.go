//go:build unix

// Command bench measures the product beside its rivals, against a mock model on
// the loopback interface: make bench-peers. testdata/bench/README.md has the
// method.
//
//	peers (who is installed, how each is set up) ─┐
//	works (what is measured, our goals)          ─┼▶ schedule ─▶ report.Results ─▶ results.json, results.md
//	stage (what the model says)                  ─┘
//
// Each peer has a home of its own in a temporary folder, knows no model but the
// mock, and reaches nothing beyond the machine: its proxies lead to a closed
// port. Processes run in groups of their own and are ended by their ids.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hoopoe-agent/hoopoe/internal/bench/report"
)

// options are what the command line says.
type options struct {
	runs    int
	budget  time.Duration // of one peer in one work
	limit   time.Duration // of one repetition
	program string
	json    string
	path    string // folders with programs
	only    []string
	peers   []string
	keep    bool
	size    size
}

// published are the results of which the README has a part.
const published = "testdata/bench/results.json"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		stop()
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(log)
	var o options
	flags.IntVar(&o.runs, "runs", 5, "repetitions of each work")
	flags.DurationVar(&o.budget, "budget", 4*time.Second, "time after which a peer repeats a work no more")
	flags.DurationVar(&o.limit, "limit", 45*time.Second, "time after which a repetition has failed")
	flags.BoolVar(&o.keep, "keep", false, "keep the peers' homes, to look into them")
	flags.StringVar(&o.program, "hoopoe", "", "our binary; without it, it is built as for a release")
	flags.StringVar(&o.json, "json", published, "`file` for the results; the table goes beside it, as .md")
	only := flags.String("only", "", "works to do, as -list names them, with commas between; nothing is written without -json")
	peers := flags.String("peers", "", "rivals to run, with commas between; all that are installed without it")
	render := flags.String("render", "", "measure nothing, write the published results' table anew, and its short form into this Markdown `file`")
	list := flags.Bool("list", false, "list the works and the peers")
	try := flags.Bool("try", false, "do little of each work, once, to see whether all rivals can; nothing is written without -json")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.only, o.peers = split(*only), split(*peers)
	o.path = searchPath(os.Getenv("HOOPOE_PEERS"), os.Getenv("PATH"))
	o.size = full
	if *try {
		o.size, o.runs = small, 1
	}
	if (*try || len(o.only) > 0) && o.json == published { // a part doesn't replace the whole
		o.json = ""
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("no argument is expected, not even %q", flags.Arg(0))
	case o.runs < 1:
		return errors.New("-runs must be at least 1")
	case *render != "":
		return embed(published, *render)
	case *list:
		return listAll(out)
	}
	return measure(ctx, o, out, log)
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func listAll(out io.Writer) error {
	for _, w := range works(full) {
		fmt.Fprintf(out, "%-14s %s\n", w.id, w.title)
	}
	fmt.Fprintln(out)
	for _, p := range rivals() {
		fmt.Fprintf(out, "%-14s %s\n", p.name, strings.Join(p.programs(), ", "))
	}
	return nil
}

// embed writes the short table into a document.
func embed(results, document string) error {
	r, err := report.Read(results)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	changed, err := report.Embed(string(text), r.Short())
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	if err := os.WriteFile(document, []byte(changed), 0o644); err != nil {
		return err
	}
	return writeTable(results, r)
}

// writeTable writes the whole table beside the results.
func writeTable(results string, r report.Results) error {
	table := strings.TrimSuffix(results, filepath.Ext(results)) + ".md"
	return os.WriteFile(table, []byte(r.Document()), 0o644)
}

// measure does all works and writes the results.
func measure(ctx context.Context, o options, out, log io.Writer) error {
	folder, err := os.MkdirTemp("", "hoopoe-bench-")
	if err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	if o.keep {
		fmt.Fprintln(log, "the homes are in", folder)
	} else {
		defer os.RemoveAll(folder)
	}
	if o.program == "" {
		if o.program, err = build(ctx, folder, true); err != nil {
			return err
		}
	}
	s := newStage()
	defer s.close()
	b := &bench{options: o, folder: folder, stage: s, log: log}
	results, err := b.run(ctx, works(o.size), rivals())
	if err != nil {
		return err
	}
	fmt.Fprint(out, results.Document())
	if o.json == "" {
		return nil
	}
	if err := results.Write(o.json); err != nil {
		return err
	}
	return writeTable(o.json, results)
}

// build makes our binary: as make build does, or with what the tests have
// compiled already.
func build(ctx context.Context, folder string, release bool) (string, error) {
	// The folder's own entries are the homes of the programs that are measured.
	program := filepath.Join(folder, "bin", "hoopoe")
	args := []string{"build", "-ldflags", "-s -w", "-o", program}
	env := os.Environ()
	if release {
		args = append(args, "-trimpath")
		env = append(env, "CGO_ENABLED=0")
	}
	c := exec.CommandContext(ctx, "go", append(args, "github.com/hoopoe-agent/hoopoe")...)
	c.Env = env
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build our binary: %w\n%s", err, text)
	}
	return program, evict(program)
}
