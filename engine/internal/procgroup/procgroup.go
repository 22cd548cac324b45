// Package procgroup starts a program so that it can be ended together with all
// that it has started.
//
//	exec.Cmd ─▶ Start ─▶ Group ─▶ Terminate, Kill
//
// A Group is a process group in a session of its own, and on Windows a job.
package procgroup
