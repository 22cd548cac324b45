package web

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL bounds an address, in bytes.
const maxURL = 8 << 10

// Parse reads an address for Get: http or https, without user and password.
// The host comes in ASCII and lower case; the fragment goes.
func Parse(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxURL {
		return nil, fmt.Errorf("the URL is longer than %d bytes", maxURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("the URL can't be read: give a whole one, such as https://go.dev/doc")
	case u.Scheme == "":
		return nil, errors.New("the URL has no scheme: it begins with https:// or http://")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("only http and https are fetched, not %.20q", u.Scheme)
	case u.User != nil:
		return nil, errors.New("the URL holds a user or password: leave them out")
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host")
	}
	host := strings.ToLower(u.Hostname())
	if !strings.Contains(host, ":") {
		host, err = idna.Lookup.ToASCII(host)
		host = strings.TrimSuffix(host, ".")
		if err != nil || strings.Contains("."+host+".", "..") {
			return nil, fmt.Errorf("the URL's host is no name: %.100q", u.Hostname())
		}
	} else {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("the URL's port %.20q is none", p)
		}
		if usual := map[string]uint64{"http": 80, "https": 443}[u.Scheme]; n != usual {
			host += ":" + strconv.FormatUint(n, 10)
		}
	}
	u.Host, u.Fragment, u.RawFragment = host, "", ""
	return u, nil
}

// next is where a redirect leads to.
func next(from *url.URL, location string) (*url.URL, error) {
	to, err := from.Parse(location)
	if err != nil {
		return nil, errors.New("its address can't be read")
	}
	return Parse(to.String())
}

// Check refuses hosts that by their name alone are none of the public internet.
// It is what can be said without a look-up; Get judges the addresses.
func (c *Client) Check(u *url.URL) error {
	host := u.Hostname()
	refuse := func(why string) error { return &RefusedError{Host: host, Why: why} }
	if addr, err := netip.ParseAddr(host); err == nil {
		if why := c.options.Refuse(netip.AddrPortFrom(addr, portNumber(u))); why != "" {
			return refuse(why)
		}
		return nil
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case strings.ContainsAny(host, ":%"):
		return refuse("it isn't an address of the internet")
	case numeric(last):
		return refuse("it is an address in a form that hides where it leads; write it plainly")
	case last == host:
		return refuse("it is a name of this machine or its network")
	}
	switch last {
	case "localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "test", "onion":
		return refuse("it is a name of this machine or its network")
	}
	if strings.HasSuffix(host, ".home.arpa") {
		return refuse("it is a name of this machine or its network")
	}
	return nil
}

// numeric holds for labels that make some readers take a host for an IPv4
// address: digits, and 0x with hexadecimal digits.
func numeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return label != "" && strings.Trim(label, "0123456789") == ""
}

// special are the ranges within the public ones that aren't public, with what
// they are.
var special = []struct {
	prefix netip.Prefix
	why    string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "it is this machine"},
	{netip.MustParsePrefix("100.64.0.0/10"), "it is an address of a provider's own network"},
	{netip.MustParsePrefix("168.63.129.16/32"), "it is a cloud's own service"},
	{netip.MustParsePrefix("192.0.0.0/24"), "it is reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "it is reserved"},
	{netip.MustParsePrefix("192.88.99.0/24"), "it is reserved"},
	{netip.MustParsePrefix("198.18.0.0/15"), "it is reserved"},
	{netip.MustParsePrefix("198.51.100.0/24"), "it is reserved"},
	{netip.MustParsePrefix("203.0.113.0/24"), "it is reserved"},
	{netip.MustParsePrefix("240.0.0.0/4"), "it is reserved"},
	{netip.MustParsePrefix("2001::/23"), "it is reserved"},
	{netip.MustParsePrefix("2001:db8::/32"), "it is reserved"},
	{netip.MustParsePrefix("2002::/16"), "it is a tunnel"},
	{netip.MustParsePrefix("3fff::/20"), "it is reserved"},
}

var (
	translated = netip.MustParsePrefix("64:ff9b::/96") // NAT64: an IPv4 address is at its end
	unicast    = netip.MustParsePrefix("2000::/3")
)

// Public says why an address is none of the public internet, "" if it is one.
func Public(to netip.AddrPort) string {
	a := to.Addr()
	if a.Zone() != "" {
		return "it is an address of this network alone"
	}
	a = a.Unmap()
	if translated.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case !a.IsValid() || a.IsUnspecified() || a.IsLoopback():
		return "it is this machine"
	case a.IsPrivate():
		return "it is an address of a private network"
	case a.IsLinkLocalUnicast():
		return "it is an address of this network alone, or a cloud's metadata"
	case a.IsMulticast():
		return "it is no single machine"
	case a.Is6() && !unicast.Contains(a):
		return "it is no address of the internet"
	}
	for _, s := range special {
		if s.prefix.Contains(a) {
			return s.why
		}
	}
	return ""
}
