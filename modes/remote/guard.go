package remote

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// subprotocol is what the server chooses when a client offers any; a browser
// sends its token as a second one, since it can't set headers.
const (
	subprotocol = "hoopoe"
	bearer      = "bearer."
)

// guard decides before anything else happens whether a request may come in:
// every route passes it. It rests on three facts. A web page can open sockets
// to this machine, but can't hide its Origin. A page behind a rebound name can't
// hide that name: it is in Host. A program has no Origin, so only a token keeps
// one out that isn't the user's.
type guard struct {
	token   [sha256.Size]byte
	secured bool // there is a token
	origins []string
	hosts   []string // besides those of the address that we listen on
	unix    bool
	tls     bool
}

// refusal answers a request that doesn't come in.
type refusal struct {
	status int
	text   string
}

func newGuard(o Options) (*guard, error) {
	g := &guard{secured: o.Token != "", unix: o.Address.Unix != "", tls: o.Cert != ""}
	if g.secured {
		g.token = sha256.Sum256([]byte(o.Token))
	}
	for _, raw := range o.Origins {
		origin, err := parseOrigin(raw)
		if err != nil {
			return nil, &ConfigError{fmt.Sprintf("allowed origin %q: %v", raw, err)}
		}
		g.origins = append(g.origins, origin)
	}
	for _, host := range append(slices.Clone(o.Hosts), o.Address.name()) {
		if host != "" {
			g.hosts = append(g.hosts, strings.ToLower(host))
		}
	}
	return g, nil
}

// visitor is a request that may come in.
type visitor struct {
	auth     string // bearer, query, subprotocol, or none
	protocol string // to be chosen; "" for none
}

// admit checks a request that wants to become a connection.
func (g *guard) admit(r *http.Request) (visitor, *refusal) {
	if bad := g.screen(r); bad != nil {
		return visitor{}, bad
	}
	v := g.identify(r)
	if g.secured && v.auth == none {
		return v, &refusal{http.StatusUnauthorized, "this server wants its token: send \"Authorization: Bearer TOKEN\", " +
			"the query ?token=TOKEN, or the subprotocols \"hoopoe\" and \"bearer.\" with the token in unpadded base64url"}
	}
	if origin := r.Header.Get("Origin"); origin != "" && !g.listed(origin) && v.auth == none {
		return v, &refusal{http.StatusForbidden, fmt.Sprintf("the origin %q may connect only with a token, or when it is allowed by --remote-allow-origin", origin)}
	}
	return v, nil
}

// screen checks what holds for every route: the names that the request uses
// for us, and the page that it comes from.
func (g *guard) screen(r *http.Request) *refusal {
	if !g.knows(r) {
		return &refusal{http.StatusForbidden, fmt.Sprintf("the host %q is not this server's address; --remote-allow-host allows another name", r.Host)}
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 {
		return &refusal{http.StatusForbidden, "a request has one origin"}
	}
	if len(origins) == 0 || g.listed(origins[0]) || g.own(origins[0], r.Host) {
		return nil
	}
	return &refusal{http.StatusForbidden, fmt.Sprintf("the origin %q is neither this server (%q) nor allowed by --remote-allow-origin", origins[0], r.Host)}
}

// listed holds for an origin that the user has allowed.
func (g *guard) listed(origin string) bool {
	parsed, err := parseOrigin(origin)
	return err == nil && slices.Contains(g.origins, parsed)
}

// own holds for an origin that is this server, under the name in host.
func (g *guard) own(origin, host string) bool {
	scheme := "http"
	if g.tls {
		scheme = "https"
	}
	ours, err := parseOrigin(scheme + "://" + host)
	if err != nil {
		return false
	}
	theirs, err := parseOrigin(origin)
	return err == nil && theirs == ours
}

// parseOrigin writes an origin in one way: lower case, without the scheme's
// default port. "null" is none.
func parseOrigin(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("this is no origin: write scheme://host:port")
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host, nil
}

// knows reports whether the request's Host is a name of ours: the address that
// the connection came to, in any loopback spelling when it is one, or a name
// that was allowed. An address can't be rebound; a name can.
func (g *guard) knows(r *http.Request) bool {
	if g.unix {
		return true // no browser gets here
	}
	host := strings.ToLower(r.Host)
	name := hostname(host)
	if slices.Contains(g.hosts, host) || slices.Contains(g.hosts, name) {
		return true
	}
	local, ok := localIP(r)
	if !ok {
		return false
	}
	if local.IsLoopback() && name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	if err != nil || ip.Zone() != "" {
		return false
	}
	ip = ip.Unmap()
	return ip == local || ip.IsLoopback() && local.IsLoopback()
}

// hostname is a Host without its port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// localIP is the address that a connection came to.
func localIP(r *http.Request) (netip.Addr, bool) {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return netip.Addr{}, false
	}
	ap, err := netip.ParseAddrPort(addr.String())
	return ap.Addr().Unmap().WithZone(""), err == nil
}

const none = "none"

// identify looks for the token in the three places that clients can use.
func (g *guard) identify(r *http.Request) visitor {
	v := visitor{auth: none}
	var offered []string
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(line, ",") {
			offered = append(offered, strings.TrimSpace(p))
		}
	}
	if slices.Contains(offered, subprotocol) {
		v.protocol = subprotocol
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "bearer") && g.is(strings.TrimSpace(token)) {
		v.auth = "bearer"
	}
	if v.auth == none && g.is(r.URL.Query().Get("token")) {
		v.auth = "query"
	}
	for _, p := range offered {
		if code, ok := strings.CutPrefix(p, bearer); ok && v.auth == none {
			if token, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(code, "=")); err == nil && g.is(string(token)) {
				v.auth = "subprotocol"
			}
		}
	}
	return v
}

// is compares in a time that tells nothing about the token.
func (g *guard) is(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return g.secured && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}
