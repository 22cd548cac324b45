package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// descendants lists a process and all below it that still have their parents.
func descendants(pid int) []int {
	family := []int{pid}
	for i := 0; i < len(family); i++ {
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", family[i])) // it may have ended
		for _, t := range tasks {
			data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", family[i], t.Name()))
			for _, word := range strings.Fields(string(data)) {
				if id, err := strconv.Atoi(word); err == nil {
					family = append(family, id)
				}
			}
		}
	}
	return family
}

// memory is the resident memory of a tree in MiB. What processes share counts
// for each of them.
func memory(pid int) float64 {
	pages := 0
	for _, id := range descendants(pid) {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", id))
		if f := strings.Fields(string(data)); len(f) > 1 {
			n, _ := strconv.Atoi(f[1])
			pages += n
		}
	}
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}

// highWater is the most memory that a process has had so far, in MiB.
func highWater(pid int) float64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it may have ended
	return statusMiB(data, "VmHWM:")
}

// statusMiB reads a line of /proc/PID/status that is in KiB.
func statusMiB(status []byte, name string) float64 {
	_, rest, _ := bytes.Cut(status, []byte(name))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	n, _ := strconv.ParseFloat(string(bytes.TrimSpace(line)), 64)
	return n / 1024
}

// cpuTime is what a tree has used, with the children that have ended, in steps
// of 10 ms.
func cpuTime(pid int) (time.Duration, bool) {
	var sum time.Duration
	for _, id := range descendants(pid) {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		sum += ticks(data)
	}
	return sum, true
}

// ticks reads the times of /proc/PID/stat: user, system, and those of children.
// The name before them may have anything in it.
func ticks(stat []byte) time.Duration {
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var sum int64
	for i := 11; i < 15 && i < len(f); i++ {
		n, _ := strconv.ParseInt(f[i], 10, 64)
		sum += n
	}
	return time.Duration(sum) * 10 * time.Millisecond
}

// sweep ends what runs with a home below the folder: daemons that a peer has
// left behind.
func sweep(folder string) {
	dirs, _ := os.ReadDir("/proc")
	for _, d := range dirs {
		id, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", id))
		if bytes.Contains(append([]byte{0}, env...), []byte("\x00HOME="+folder+"/")) {
			_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended
		}
	}
}
