//go:build linux

// Soak puts the real program under load on all of its faces at once, with
// faults, and tells whether it keeps its shape and loses nothing.
//
//	workers ─┬─ print, rpc, acp, remote, chat ─▶ hoopoe processes ─▶ player (a mock model server
//	         ├─ vanish: kill, hang up, leave          │               whose answers and failures
//	         └─ disk: full, slow                      │               stand in each prompt)
//	                │                                 ▼
//	                │                            session files
//	                ▼                                 │
//	  ledger (what clients were told) ──▶ audit ◀─────┤
//	  watcher (memory, descriptors, children) ──▶ trends ──▶ report
//
// A prompt says what the model is to do with it: [[s12 read bash fault:cut]].
// The player reads that in the request, so that no worker has to talk to it.
//
// Full and slow disks are real: a small file system on a loop device, in a mount
// namespace of its own, which is filled and frozen. That takes root. Without,
// there is a tmpfs in a user namespace that can be filled but not frozen, and
// without that no disk at all; the report says which it was.
//
// Nothing leaves this machine: all sockets are on the loopback. Only processes
// that were started here are ended, by their ids.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	o := options{}
	flag.DurationVar(&o.length, "for", 20*time.Minute, "how long the load lasts")
	flag.StringVar(&o.binary, "binary", "", "the program; without it one is built of the working directory")
	flag.StringVar(&o.extensions, "extensions", "testdata/extensions", "a `FOLDER` of extensions to load")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "of the choices that are made; their times differ in each run")
	flag.StringVar(&o.keep, "keep", "", "a `FOLDER` to work in, which stays; without it a temporary one")
	inside := flag.Bool("inside", false, "the process is in namespaces of its own (soak says this to itself)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if !*inside {
		if code, ok := reenter(ctx); ok {
			os.Exit(code)
		}
	}
	// Whoever started it under nohup has it ignore hang-ups, which the program would
	// inherit. A signal that is caught here is not.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	o.mounts = *inside
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// errFound says that the report has failures.
var errFound = errors.New("what is listed above isn't as it should be")
