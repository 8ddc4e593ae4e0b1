// Command tls-table serves each row of a table of TLS servers, and judges each as Go's client does.
//
// It prints one line of JSON for each row, and ends with its standard input.
package main

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"os"
	"slices"
	"sync"
)

// A verdict on a server.
type verdict bool

const (
	yes verdict = true
	no  verdict = false
)

// A row of the table: a server, and who accepts it.
type row struct {
	name string
	// The wrapper, Go, and OpenSSL as Debian configures it.
	svc, golang, openssl verdict
	// A part of the wrapper's message, if it refuses the server.
	reason string
	build  func() server
}

// A judged row, as its reader gets it.
type judged struct {
	Family  string `json:"family"`
	Name    string `json:"name"`
	Svc     bool   `json:"svc"`
	Go      bool   `json:"go"`
	OpenSSL bool   `json:"openssl"`
	Reason  string `json:"reason"`
	Port    int    `json:"port"`
	Host    string `json:"host"`
	// The PEM certificates that clients trust.
	Trusted string `json:"trusted"`
	// The client's own certificate and key; may be empty.
	ClientCertificate string `json:"clientCertificate"`
	ClientKey         string `json:"clientKey"`
	// Go's own error; empty if its client accepts the server.
	GoSays string `json:"goSays"`
}

var families = []struct {
	name string
	rows []row
}{
	{"keys", keyRows},
	{"signatures", signatureRows},
	{"length of the chain", lengthRows},
	{"order of the chain", orderRows},
	{"authorities", authorityRows},
	{"extended key usage", purposeRows},
	{"key usage", usageRows},
	{"basic constraints", constraintRows},
	{"name constraints", nameConstraintRows},
	{"critical extensions", extensionRows},
	{"validity", timeRows},
	{"names", nameRows},
	{"serial number", serialRows},
	{"protocol", protocolRows},
	{"the client's own key", clientRows},
}

func main() {
	var lines []*judged
	var judging sync.WaitGroup
	for _, family := range families {
		for _, row := range family.rows {
			line := &judged{
				Family: family.name, Name: row.name, Reason: row.reason,
				Svc: bool(row.svc), Go: bool(row.golang), OpenSSL: bool(row.openssl),
			}
			lines = append(lines, line)
			judging.Go(func() { line.judge(row.build()) })
		}
	}
	judging.Wait()
	encoder := json.NewEncoder(os.Stdout)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			panic(err)
		}
	}
	os.Stdout.Close()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// judge starts the server and asks it.
func (line *judged) judge(server server) {
	line.Port = server.start()
	line.Host = server.host
	for _, certificate := range server.trusted {
		block := pem.Block{Type: "CERTIFICATE", Bytes: certificate.der}
		line.Trusted += string(pem.EncodeToMemory(&block))
	}
	if server.client != nil {
		line.ClientCertificate, line.ClientKey = server.client.certificate, server.client.key
	}
	if err := server.ask(line.Port); err != nil {
		line.GoSays = err.Error()
	}
}

// reversed gives the elements in the opposite order.
func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
