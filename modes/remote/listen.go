package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// DefaultAddress is where the server listens when it isn't told: this machine
// alone can reach it.
const DefaultAddress = "127.0.0.1:8080"

// ConfigError is a setting that can't be served with: a fault of the command
// line, found before any port was opened.
type ConfigError struct{ text string }

func (e *ConfigError) Error() string { return e.text }

// Address is where to listen: a TCP address, or the path of a unix socket.
type Address struct {
	Host, Port string
	Unix       string
}

// ParseAddress reads host:port, :port, a port, or unix:/path.
func ParseAddress(text string) (Address, error) {
	if text == "" {
		text = DefaultAddress
	}
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		if path == "" {
			return Address{}, &ConfigError{"--remote unix: needs the path of the socket, unix:/path"}
		}
		return Address{Unix: path}, nil
	}
	if _, err := strconv.Atoi(text); err == nil {
		text = "127.0.0.1:" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return Address{}, &ConfigError{fmt.Sprintf("--remote %s: this is no address: give HOST:PORT, such as %s, or unix:/path", text, DefaultAddress)}
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return Address{}, &ConfigError{fmt.Sprintf("--remote %s: the port is a number from 0 to 65535", text)}
	}
	return Address{Host: host, Port: port}, nil
}

func (a Address) String() string {
	if a.Unix != "" {
		return "unix:" + a.Unix
	}
	return net.JoinHostPort(a.Host, a.Port)
}

// name is the host when it is a name, not an address.
func (a Address) name() string {
	if _, err := netip.ParseAddr(a.Host); err == nil || a.Host == "localhost" {
		return ""
	}
	return a.Host
}

// private reports whether only this machine's users can reach the address.
func (a Address) private(ctx context.Context) (bool, error) {
	switch {
	case a.Unix != "":
		return true, nil
	case a.Host == "":
		return false, nil
	}
	if ip, err := netip.ParseAddr(a.Host); err == nil {
		return ip.Unmap().IsLoopback(), nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", a.Host)
	if err != nil {
		return false, fmt.Errorf("find the address of %s: %w", a.Host, err)
	}
	for _, ip := range ips {
		if !ip.Unmap().IsLoopback() {
			return false, nil
		}
	}
	return true, nil
}

// Listen opens the socket. It refuses to be reachable from other machines
// without a token: whoever connects can run commands here.
func Listen(ctx context.Context, o Options) (net.Listener, error) {
	private, err := o.Address.private(ctx)
	if err != nil {
		return nil, err
	}
	if !private && o.Token == "" {
		return nil, &ConfigError{fmt.Sprintf("--remote %s can be reached from other machines, and whoever connects can run commands here: "+
			"give a token with --remote-token-file FILE (made if it isn't there) or HOOPOE_REMOTE_TOKEN, or listen on %s", o.Address, DefaultAddress)}
	}
	var certs []tls.Certificate
	if o.Cert != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, fmt.Errorf("read the certificate: %w", err)
		}
		certs = []tls.Certificate{pair}
	}
	l, err := open(ctx, o.Address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", o.Address, err)
	}
	if certs != nil {
		l = tls.NewListener(l, &tls.Config{Certificates: certs, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	}
	return l, nil
}

func open(ctx context.Context, a Address) (net.Listener, error) {
	var c net.ListenConfig
	if a.Unix == "" {
		return c.Listen(ctx, "tcp", net.JoinHostPort(a.Host, a.Port))
	}
	if err := removeStale(ctx, a.Unix); err != nil {
		return nil, err
	}
	return listenPrivately(func() (net.Listener, error) { return c.Listen(ctx, "unix", a.Unix) }, a.Unix)
}

// removeStale takes away the socket of a server that is gone.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSocket == 0:
		return errors.New("there is a file of that name, and it is no socket")
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err == nil {
		c.Close()
		return errors.New("another server listens there")
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return os.Remove(path)
	}
	return err
}

// Place says how to reach a server.
type Place struct {
	Socket string // for clients
	Page   string // for a browser, with the token; "" when there is no page
	// Open is true when what is sent can be read on the network.
	Open bool
}

// Reach tells the addresses of a server that listens on addr. For a server
// that listens on all addresses it takes the one that others most likely see.
func Reach(o Options, addr net.Addr) Place {
	if o.Address.Unix != "" {
		return Place{Socket: "ws+unix:" + o.Address.Unix}
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		port = o.Address.Port
	}
	host := o.Address.Host
	ip, err := netip.ParseAddr(host)
	if host == "" || err == nil && ip.IsUnspecified() {
		host = outward()
	}
	socket, page := "ws://", "http://"
	if o.Cert != "" {
		socket, page = "wss://", "https://"
	}
	at := net.JoinHostPort(host, port)
	p := Place{Socket: socket + at}
	if o.Token != "" {
		// Behind the number sign, where browsers keep it to themselves.
		p.Page = page + at + "/#token=" + url.QueryEscape(o.Token)
		private, _ := o.Address.private(context.Background())
		p.Open = !private && o.Cert == ""
	}
	return p
}

// outward is the first address of this machine that isn't its own alone.
func outward() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return "127.0.0.1"
	}
	best := "127.0.0.1"
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.IsLinkLocalUnicast() {
			continue
		}
		if n.IP.To4() != nil {
			return n.IP.String()
		}
		if best == "127.0.0.1" {
			best = n.IP.String()
		}
	}
	return best
}
