package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signalError is the cause of a context that a signal has ended.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string { return fmt.Sprintf("stopped by the signal %v", e.signal) }

func (e signalError) exitCode() int {
	if n, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitFailed
}

// withSignals ends the context at the first signal, so that the run stops in
// order. The second ends the process at once. A signal that the parent has
// told us to ignore, as nohup does, stays ignored. A closed stdout shows as a
// write error and not as a signal: the session is closed in order then too.
func withSignals(ctx context.Context, exit func(code int)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	done, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		for n := 0; ; n++ {
			select {
			case s := <-signals:
				if n > 0 {
					exit(signalError{s}.exitCode())
				}
				cancel(signalError{s})
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(broken)
		close(done)
		<-left // a second signal is ending the process, with its own exit code
		cancel(nil)
	}
}
