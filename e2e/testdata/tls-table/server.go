package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// A server shows a chain to its clients, which trust some certificates and expect a name.
type server struct {
	chain   []*certificate
	trusted []*certificate
	host    string
	// The client's own certificate.
	client *identity
	// Changes the configuration for TLS.
	configure func(*tls.Config)
	// Talks to clients instead of TLS.
	talk func(net.Conn)
}

// serve makes a server with the usual name. The leaf comes first.
func serve(trusted *certificate, chain ...*certificate) server {
	return server{chain: chain, trusted: []*certificate{trusted}, host: usualName}
}

// as changes the name that clients expect.
func (server server) as(host string) server {
	server.host = host
	return server
}

// trusting replaces the certificates that clients trust.
func (server server) trusting(trusted ...*certificate) server {
	server.trusted = trusted
	return server
}

// start listens at a free port, and gives it.
func (server server) start() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	if server.talk != nil {
		go func() {
			for {
				connection, err := listener.Accept()
				must(err)
				go server.talk(connection)
			}
		}()
	} else {
		config := &tls.Config{NextProtos: []string{"http/1.1"}}
		config.Certificates = []tls.Certificate{{PrivateKey: server.chain[0].key}}
		for _, shown := range server.chain {
			list := &config.Certificates[0].Certificate
			*list = append(*list, shown.der)
		}
		if server.configure != nil {
			server.configure(config)
		}
		https := http.Server{Handler: http.HandlerFunc(forbid)}
		https.ErrorLog = log.New(io.Discard, "", 0)
		go func() { must(https.Serve(tls.NewListener(listener, config))) }()
	}
	return listener.Addr().(*net.TCPAddr).Port
}

// forbid answers as a vault does if a token may not read.
func forbid(writer http.ResponseWriter, _ *http.Request) {
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(writer, `{"errors":["permission denied"]}`)
}

// ask asks the server as Go's client does by default.
func (server server) ask(port int) error {
	config := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: server.host}
	config.NextProtos = []string{"http/1.1"}
	for _, trusted := range server.trusted {
		parsed, err := x509.ParseCertificate(trusted.der)
		if err != nil {
			return err
		}
		config.RootCAs.AddCert(parsed)
	}
	if server.client != nil {
		pair, err := tls.X509KeyPair([]byte(server.client.certificate), []byte(server.client.key))
		if err != nil {
			return err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	connection, err := tls.DialWithDialer(dialer, "tcp", fmt.Sprintf("127.0.0.1:%d", port), config)
	if err != nil {
		return err
	}
	defer connection.Close()
	// With TLS 1.3 a server refuses the client's certificate after the handshake.
	if _, err := io.WriteString(connection, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		return err
	}
	_, err = io.ReadAll(connection)
	return err
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
