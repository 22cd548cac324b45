package shim

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// setHostPort, setPort and setHost report whether the text is one.
func (a *address) setHostPort(s string) bool {
	host, port := s, ""
	if colon := strings.LastIndexByte(s, ':'); colon > strings.LastIndexByte(s, ']') {
		host, port = s[:colon], s[colon+1:]
	}
	if port != "" && (a.scheme == "file" || !a.setPort(port)) {
		return false
	}
	return a.setHost(host)
}

func (a *address) setPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || port[0] == '+' {
		return false
	}
	if a.port = strconv.FormatUint(n, 10); a.port == special[a.scheme] {
		a.port = ""
	}
	return true
}

func (a *address) setHost(host string) bool {
	if host == "" {
		a.host = ""
		return !a.special() || a.scheme == "file"
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		ip, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !ip.Is6() || ip.Zone() != "" || !strings.HasSuffix(inner, "]") {
			return false
		}
		a.host = "[" + compressed(ip) + "]"
		return true
	}
	if !a.special() {
		if strings.ContainsAny(host, "\x00\t\n\r #/:<>?@[\\]^|") {
			return false
		}
		a.host = escape(host, "")
		return true
	}
	plain, err := url.PathUnescape(host)
	if err != nil || !utf8.ValidString(plain) {
		return false
	}
	domain := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.VerifyDNSLength(false))
	ascii, err := domain.ToASCII(plain)
	if err != nil {
		return false
	}
	// What isn't a name when it is read again, such as U+FFFD, is none.
	if again, err := domain.ToASCII(ascii); err != nil || again != ascii {
		return false
	}
	if ascii == "" || strings.ContainsAny(ascii, "\x00\t\n\r #/:<>?@[\\]^|%\x7f") {
		return false
	}
	if isNumber(lastLabel(ascii)) {
		var ok bool
		if ascii, ok = ipv4(ascii); !ok {
			return false
		}
	}
	if a.scheme == "file" && ascii == "localhost" {
		ascii = ""
	}
	a.host = ascii
	return true
}

// compressed is an IPv6 address without the dotted form of mapped ones.
func compressed(ip netip.Addr) string {
	if !ip.Is4In6() {
		return ip.String()
	}
	b := ip.As16()
	return fmt.Sprintf("::ffff:%x:%x", int(b[12])<<8|int(b[13]), int(b[14])<<8|int(b[15]))
}

func lastLabel(host string) string {
	host = strings.TrimSuffix(host, ".")
	return host[strings.LastIndexByte(host, '.')+1:]
}

func isNumber(label string) bool {
	if label == "" {
		return false
	}
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	_, ok := number(label)
	return ok
}

// number reads a part of an IPv4 address: decimal, octal or hexadecimal.
func number(s string) (uint64, bool) {
	base := 10
	switch {
	case len(s) >= 2 && (s[:2] == "0x" || s[:2] == "0X"):
		s, base = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil && s[0] != '+'
}

func ipv4(host string) (string, bool) {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(labels) > 4 {
		return "", false
	}
	var ip uint64
	for i, label := range labels {
		n, ok := number(label)
		if !ok || label == "" {
			return "", false
		}
		if i < len(labels)-1 {
			if n > 255 {
				return "", false
			}
			ip |= n << (8 * (3 - i))
			continue
		}
		if n >= 1<<(8*(5-len(labels))) {
			return "", false
		}
		ip |= n
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}).String(), true
}
