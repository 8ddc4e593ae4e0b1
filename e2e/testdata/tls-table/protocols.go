package main

import (
	"crypto/tls"
	"io"
	"net"
)

// speaking is a good server with another configuration.
func speaking(key change, configure func(*tls.Config)) func() server {
	return func() server {
		server := leafWith(key)()
		server.configure = configure
		return server
	}
}

func versions(least, most uint16) func() server {
	return speaking(withKey(rsa2048), func(config *tls.Config) {
		config.MinVersion, config.MaxVersion = least, most
	})
}

func suites(list ...uint16) func() server {
	return speaking(withKey(rsa2048), func(config *tls.Config) {
		config.CipherSuites, config.MaxVersion = list, tls.VersionTLS12
	})
}

func curves(list ...tls.CurveID) func() server {
	return speaking(withKey(p256), func(config *tls.Config) { config.CurvePreferences = list })
}

func clients(kind tls.ClientAuthType, most uint16) func() server {
	return speaking(withKey(p256), func(config *tls.Config) {
		config.ClientAuth, config.MaxVersion = kind, most
	})
}

// talking is a server without TLS.
func talking(talk func(net.Conn)) func() server {
	return func() server {
		server := leafWith()()
		server.talk = talk
		return server
	}
}

func protocol(names ...string) func() server {
	return speaking(withKey(p256), func(config *tls.Config) { config.NextProtos = names })
}

// shut ends a connection at once.
func shut(connection net.Conn) { _ = connection.Close() }

// plain answers the greeting of TLS as a server of plain HTTP does.
func plain(connection net.Conn) {
	_, _ = connection.Read(make([]byte, 1<<14))
	answer := "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	_, _ = io.WriteString(connection, answer)
	_ = connection.Close()
}

// older answers with a ServerHello of TLS 1.1, as some servers do instead of an alert.
func older(connection net.Conn) {
	_, _ = connection.Read(make([]byte, 1<<14))
	hello := append([]byte{22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2}, make([]byte, 32)...)
	_, _ = connection.Write(append(hello, 0, 0xc0, 0x13, 0))
	_, _ = io.Copy(io.Discard, connection)
	_ = connection.Close()
}

const (
	aesGcm    = tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
	chacha    = tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
	cbc       = tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA
	cbcSha256 = tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256
	rsaGcm    = tls.TLS_RSA_WITH_AES_128_GCM_SHA256
	rsaCbc    = tls.TLS_RSA_WITH_AES_128_CBC_SHA
)

const noCommon = "alert HandshakeFailure"

var protocolRows = []row{
	{"TLS 1.0 alone", no, no, no, "TLS 1.2 or 1.3", versions(tls.VersionTLS10, tls.VersionTLS10)},
	{"TLS 1.1 alone", no, no, no, "TLS 1.2 or 1.3", versions(tls.VersionTLS11, tls.VersionTLS11)},
	{"TLS 1.1 without an alert", no, no, no, "TLS 1.2 or 1.3", talking(older)},
	{"TLS 1.2 alone", yes, yes, yes, "", versions(tls.VersionTLS12, tls.VersionTLS12)},
	{"TLS 1.3 alone", yes, yes, yes, "", versions(tls.VersionTLS13, tls.VersionTLS13)},
	{"AES-GCM alone", yes, yes, yes, "", suites(aesGcm)},
	{"ChaCha20 alone", yes, yes, yes, "", suites(chacha)},
	{"CBC with SHA-1 alone", no, yes, yes, noCommon, suites(cbc)},
	{"CBC with SHA-256 alone", no, no, yes, noCommon, suites(cbcSha256)},
	{"exchange of keys by RSA alone", no, no, yes, noCommon, suites(rsaGcm)},
	{"exchange of keys by RSA, and CBC", no, no, yes, noCommon, suites(rsaCbc)},
	{"X25519 alone", yes, yes, yes, "", curves(tls.X25519)},
	{"P-256 alone", yes, yes, yes, "", curves(tls.CurveP256)},
	{"P-384 alone", yes, yes, yes, "", curves(tls.CurveP384)},
	{"P-521 alone", no, yes, yes, noCommon, curves(tls.CurveP521)},
	{"asks for a client certificate", yes, yes, yes, "",
		clients(tls.RequestClientCert, tls.VersionTLS13)},
	{"demands a client certificate", no, no, no, "alert CertificateRequired",
		clients(tls.RequireAnyClientCert, tls.VersionTLS13)},
	{"demands a client certificate in TLS 1.2", no, no, no, "alert",
		clients(tls.RequireAnyClientCert, tls.VersionTLS12)},
	{"no protocol of HTTP", yes, yes, yes, "", protocol()},
	{"another protocol alone", no, no, no, "alert NoApplicationProtocol", protocol("mqtt")},
	{"plain HTTP", no, no, no, "plain HTTP", talking(plain)},
	{"ends at once", no, no, no, "closed", talking(shut)},
}
