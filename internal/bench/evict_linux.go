package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// evict has a file read from the disk, as an installed program is. What the
// linker has just written lies in memory in runs of up to 2 MB, and a process
// maps a whole run where it reads a page: its memory seemed to be up to 7 MB
// more, differently with every build.
func evict(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	return errors.Join(err, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
}
