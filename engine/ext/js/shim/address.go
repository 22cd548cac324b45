package shim

import (
	"fmt"
	"strings"
)

// address is a parsed URL as browsers understand it: forgiving where net/url
// isn't, and always in its one written form.
type address struct {
	scheme         string
	user, password string
	authority      bool // has a host, which may be empty
	host, port     string
	path           string
	opaque         bool // path without a leading slash: mailto:x
	query          *string
	fragment       *string
}

// special are the schemes with a host and slashes, and their ports.
var special = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "file": ""}

func (a *address) special() bool { _, ok := special[a.scheme]; return ok }

// What is escaped where, besides controls and what isn't ASCII.
const (
	escapeFragment = " \"<>`"
	escapeQuery    = " \"#<>"
	escapePath     = escapeQuery + "?`{}^"
	escapeUser     = escapePath + "/:;=@[\\]|"
)

// escape writes percent escapes for what set names.
func escape(s, set string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || strings.IndexByte(set, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// parseAddress is nil for what is no URL, or not one without a base.
func parseAddress(input string, base *address) *address {
	input = clean(strings.TrimFunc(input, func(r rune) bool { return r <= ' ' }))
	a := &address{}
	rest, hash, found := strings.Cut(input, "#")
	if found {
		hash = escape(hash, escapeFragment)
		a.fragment = &hash
	}
	if scheme, after, ok := cutScheme(rest); ok {
		a.scheme = scheme
		return a.absolute(after, base)
	}
	if base == nil {
		return nil
	}
	return a.relative(rest, base)
}

// clean takes out what never counts.
func clean(s string) string {
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.ToValidUTF8(s, "\uFFFD"))
}

func cutScheme(s string) (scheme, rest string, ok bool) {
	for i := range len(s) {
		switch c := s[i] | 0x20; {
		case 'a' <= c && c <= 'z':
		case i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.'):
		case i > 0 && s[i] == ':':
			return strings.ToLower(s[:i]), s[i+1:], true
		default:
			return "", s, false
		}
	}
	return "", s, false
}

// slashes makes the backslashes before the query slashes where they mean that.
func (a *address) slashes(s string) string {
	if !a.special() {
		return s
	}
	path, query, found := strings.Cut(s, "?")
	path = strings.ReplaceAll(path, `\`, "/")
	if found {
		return path + "?" + query
	}
	return path
}

func (a *address) absolute(rest string, base *address) *address {
	rest = a.slashes(rest)
	switch {
	case a.scheme == "file":
		if !strings.HasPrefix(rest, "/") && base != nil && base.scheme == "file" {
			return a.relative(rest, base)
		}
		if strings.HasPrefix(rest, "//") {
			return a.from(rest[2:])
		}
		a.authority = true
		return a.tail(rest)
	case a.special():
		if base != nil && base.scheme == a.scheme && !strings.HasPrefix(rest, "/") {
			return a.relative(rest, base)
		}
		return a.from(strings.TrimLeft(rest, "/"))
	case strings.HasPrefix(rest, "//"):
		return a.from(rest[2:])
	case strings.HasPrefix(rest, "/"):
		return a.tail(rest)
	}
	a.opaque = true
	return a.tail(rest)
}

func (a *address) relative(rest string, base *address) *address {
	a.scheme = base.scheme
	if base.opaque {
		if rest != "" || a.fragment == nil {
			return nil
		}
		a.opaque, a.path, a.query = true, base.path, base.query
		return a
	}
	rest = a.slashes(rest)
	if strings.HasPrefix(rest, "//") {
		return a.from(rest[2:])
	}
	a.authority, a.host, a.port, a.user, a.password = base.authority, base.host, base.port, base.user, base.password
	switch {
	case rest == "":
		a.path, a.query = base.path, base.query
		return a
	case rest[0] == '?':
		a.path = base.path
		q := a.escapedQuery(rest[1:])
		a.query = &q
		return a
	case rest[0] == '/':
		return a.tail(rest)
	}
	return a.tail(base.path[:strings.LastIndexByte(base.path, '/')+1] + rest)
}

// from reads what follows the two slashes.
func (a *address) from(rest string) *address {
	a.authority = true
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		user, password, _ := strings.Cut(host[:at], ":")
		a.user, a.password, host = escape(user, escapeUser), escape(password, escapeUser), host[at+1:]
		if host == "" {
			return nil
		}
	}
	if !a.setHostPort(host) || !a.whole() {
		return nil
	}
	return a.tail(rest[end:])
}

// tail reads the path and the query.
func (a *address) tail(rest string) *address {
	path, query, found := strings.Cut(rest, "?")
	if found {
		q := a.escapedQuery(query)
		a.query = &q
	}
	a.setPath(path)
	return a
}

func (a *address) escapedQuery(q string) string {
	if a.special() {
		return escape(q, escapeQuery+"'")
	}
	return escape(q, escapeQuery)
}

func (a *address) setPath(path string) {
	if a.opaque {
		a.path = escape(path, "")
		return
	}
	if a.special() { // a question mark is part of it here
		path = strings.ReplaceAll(path, `\`, "/")
	}
	if path == "" && !a.special() {
		a.path = ""
		return
	}
	var out []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, escape(segment, escapePath))
		}
	}
	a.path = "/" + strings.Join(out, "/")
}

// signed reports whether it can have a user and a port.
func (a *address) signed() bool { return a.host != "" && a.scheme != "file" }

// whole reports whether there is a host for the user and the port, if any.
func (a *address) whole() bool { return a.host != "" || a.user+a.password+a.port == "" }

func (a *address) hostPort() string { return a.host + prefixedText(":", a.port) }

func (a *address) origin() string {
	if !a.special() || a.scheme == "file" {
		return "null"
	}
	return a.scheme + "://" + a.hostPort()
}

func (a *address) String() string {
	var b strings.Builder
	b.WriteString(a.scheme + ":")
	if a.authority {
		b.WriteString("//")
		if a.user != "" || a.password != "" {
			b.WriteString(a.user + prefixedText(":", a.password) + "@")
		}
		b.WriteString(a.hostPort())
	} else if strings.HasPrefix(a.path, "//") {
		b.WriteString("/.")
	}
	b.WriteString(a.path)
	if a.query != nil {
		b.WriteString("?" + *a.query)
	}
	if a.fragment != nil {
		b.WriteString("#" + *a.fragment)
	}
	return b.String()
}

// change sets one property as a script does; what isn't valid changes nothing.
func (a *address) change(name, value string) {
	before := *a
	ok := true
	value = clean(value)
	switch name {
	case "protocol":
		scheme, _, valid := cutScheme(strings.TrimSuffix(value, ":") + ":")
		_, will := special[scheme]
		if ok = valid && will == a.special(); ok {
			a.scheme = scheme
			if a.port != "" {
				a.setPort(a.port)
			}
		}
	case "username":
		if ok = a.signed(); ok {
			a.user = escape(value, escapeUser)
		}
	case "password":
		if ok = a.signed(); ok {
			a.password = escape(value, escapeUser)
		}
	case "host":
		ok = a.authority && a.setHostPort(value) && a.whole()
	case "hostname":
		ok = a.authority && a.setHost(value) && a.whole()
	case "port":
		if a.port = ""; value != "" {
			ok = a.signed() && a.setPort(value)
		}
	case "pathname":
		if ok = !a.opaque; ok {
			a.setPath(value)
		}
	case "search":
		a.query = nil
		if value = strings.TrimPrefix(value, "?"); value != "" {
			value = a.escapedQuery(value)
			a.query = &value
		}
	case "hash":
		a.fragment = nil
		if value = strings.TrimPrefix(value, "#"); value != "" {
			value = escape(value, escapeFragment)
			a.fragment = &value
		}
	}
	if !ok {
		*a = before
	}
}

// prefixed is a part with its sign, empty if there is no part or nothing in it.
func prefixed(sign string, part *string) string {
	if part == nil {
		return ""
	}
	return prefixedText(sign, *part)
}

func prefixedText(sign, part string) string {
	if part == "" {
		return ""
	}
	return sign + part
}
