//go:build unix

package remote

import (
	"net"
	"os"
	"path/filepath"
)

// listenPrivately opens a socket that only its user can connect to. Its mode is
// set before it has its name, so that nobody slips in between.
func listenPrivately(_ func() (net.Listener, error), path string) (net.Listener, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".hoopoe-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(dir)
	hidden := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(hidden, 0o600); err == nil {
		err = os.Rename(hidden, path)
	}
	if err != nil {
		l.Close()
		os.Remove(hidden)
		return nil, err
	}
	return socket{l, path}, nil
}

// socket takes its file away when it closes.
type socket struct {
	net.Listener
	path string
}

func (s socket) Close() error {
	os.Remove(s.path)
	return s.Listener.Close()
}
