//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// disk is a small file system which can be filled and, if it is a real one on a
// loop device, frozen.
type disk struct {
	mounted []string
	hog     string // the file that fills it
	freezes bool
}

// Of sizes of the file systems, in bytes. Only what is written takes room.
const (
	loopSize = 128 << 20
	tmpSize  = 32 << 20
)

// newDisk mounts root/work and root/home from it.
func newDisk(root string) (*disk, error) {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("make mounts private: %w", err)
	}
	image, d := filepath.Join(root, "image"), &disk{hog: filepath.Join(root, "hog")}
	err := os.WriteFile(image, nil, 0o600)
	if err == nil {
		err = os.Truncate(image, loopSize)
	}
	if err != nil {
		return nil, err
	}
	// The loop device goes with the mount, and the mount with the namespace.
	out, err := exec.Command("mkfs.ext4", "-q", "-m", "0", image).CombinedOutput()
	if err == nil {
		upper := filepath.Join(filepath.Dir(root), "loop")
		if err = os.Mkdir(upper, 0o700); err == nil {
			out, err = exec.Command("mount", "-o", "loop", image, upper).CombinedOutput()
		}
		if err == nil {
			d.mounted, d.freezes = []string{root, upper}, true
			err = syscall.Mount(upper, root, "", syscall.MS_BIND, "")
		}
	}
	if err == nil {
		return d, nil
	}
	d.close()
	if e := syscall.Mount("tmpfs", root, "tmpfs", 0, fmt.Sprintf("size=%d", tmpSize)); e != nil {
		return nil, errors.Join(fmt.Errorf("a loop device: %w: %s", err, out), fmt.Errorf("a tmpfs: %w", e))
	}
	d.mounted, d.freezes = []string{root}, false
	return d, nil
}

func (d *disk) kind() string {
	if d.freezes {
		return "ext4 on a loop device, filled and frozen"
	}
	return "tmpfs, filled; it can't be frozen"
}

// fill takes all the room there is.
func (d *disk) fill() error {
	f, err := os.OpenFile(d.hog, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &st); err != nil {
		return err
	}
	size := int64(0)
	for step := int64(st.Bavail) * st.Bsize; step >= 4096; step /= 2 {
		for syscall.Fallocate(int(f.Fd()), 0, size, step) == nil {
			size += step
		}
	}
	if _, err := f.WriteAt(make([]byte, 1<<16), size); !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("the disk isn't full: %w", err)
	}
	return nil
}

// free gives the room back.
func (d *disk) free() error { return os.Remove(d.hog) }

// The requests of linux/fs.h.
const (
	freezeRequest = 0xc0045877
	thawRequest   = 0xc0045878
)

// stutter freezes the disk again and again until the context ends: whoever
// writes waits for a moment, each time.
func (d *disk) stutter(ctx context.Context) error {
	f, err := os.Open(d.mounted[0])
	if err != nil {
		return err
	}
	defer f.Close()
	control := func(request uint) error {
		return unix.IoctlSetInt(int(f.Fd()), request, 0)
	}
	for ctx.Err() == nil {
		if err := control(freezeRequest); err != nil {
			return fmt.Errorf("freeze the disk: %w", err)
		}
		<-time.After(300 * time.Millisecond)
		if err := control(thawRequest); err != nil {
			return fmt.Errorf("thaw the disk: %w", err)
		}
		<-time.After(100 * time.Millisecond)
	}
	return nil
}

// close takes the mounts away. What is still open goes with the namespace.
func (d *disk) close() {
	for _, m := range d.mounted {
		_ = syscall.Unmount(m, syscall.MNT_DETACH)
	}
	d.mounted = nil
}
