package remote

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// certificate makes a certificate for this machine and its key.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	parsed, _ := x509.ParseCertificate(der)
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, pool
}

// W-10: with a certificate the server speaks TLS and nothing else, and its own
// origin is the https one.
func TestTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	p := serve(t, hello, withToken, func(o *Options) { o.Cert, o.Key = cert, key })
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	dial := func(origin string) (*websocket.Conn, error) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ws, _, err := websocket.Dial(ctx, "wss://"+p.addr, &websocket.DialOptions{
			HTTPClient: client, HTTPHeader: http.Header{"Origin": {origin}, "Authorization": {"Bearer " + secret}},
		})
		return ws, err
	}
	ws, err := dial("https://" + p.addr)
	if err != nil {
		t.Fatal(err)
	}
	if g := read(t, ws).ask("a", "hi"); g.text() != "Hello." {
		t.Errorf("answered %+v", g)
	}
	if _, err := dial("http://" + p.addr); err == nil {
		t.Error("the page of another scheme came in")
	}
	if status, _ := p.request("GET", "/healthz", nil); status == 200 {
		t.Error("it answers without TLS too")
	}
}
