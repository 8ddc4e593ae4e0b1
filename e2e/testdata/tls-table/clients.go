package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
)

// An identity is the certificate of a client, and its key, both in PEM.
type identity struct {
	certificate, key string
}

// A form of a private key in PEM.
type form func(crypto.Signer) *pem.Block

func pkcs8(key crypto.Signer) *pem.Block {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	must(err)
	return &pem.Block{Type: "PRIVATE KEY", Bytes: der}
}

func sec1(key crypto.Signer) *pem.Block {
	der, err := x509.MarshalECPrivateKey(key.(*ecdsa.PrivateKey))
	must(err)
	return &pem.Block{Type: "EC PRIVATE KEY", Bytes: der}
}

func pkcs1(key crypto.Signer) *pem.Block {
	der := x509.MarshalPKCS1PrivateKey(key.(*rsa.PrivateKey))
	return &pem.Block{Type: "RSA PRIVATE KEY", Bytes: der}
}

// showing is a server that verifies the certificate of its client.
func showing(key func() crypto.Signer, form form, most uint16, changes ...change) func() server {
	return func() server {
		authority := root()
		changes := append([]change{withKey(key), purposes(forClients)}, changes...)
		shown := leaf(authority, changes...)
		server := serve(authority, leaf(authority))
		block := pem.Block{Type: "CERTIFICATE", Bytes: shown.der}
		server.client = &identity{
			certificate: string(pem.EncodeToMemory(&block)),
			key:         string(pem.EncodeToMemory(form(shown.key))),
		}
		server.configure = func(config *tls.Config) {
			config.ClientAuth, config.MaxVersion = tls.RequireAndVerifyClientCert, most
			config.ClientCAs = x509.NewCertPool()
			config.ClientCAs.AddCert(authority.parsed)
		}
		return server
	}
}

const (
	tls12 = tls.VersionTLS12
	tls13 = tls.VersionTLS13
	kinds = "must be RSA of 2048 to 4096 bits, ECDSA over P-256, P-384 or P-521, or Ed25519"
)

var clientRows = []row{
	{"RSA of 1024 bits", no, yes, no, kinds, showing(rsa1024, pkcs8, tls13)},
	{"RSA of 2048 bits", yes, yes, yes, "", showing(rsa2048, pkcs8, tls13)},
	{"RSA of 2048 bits in PKCS#1", yes, yes, yes, "", showing(rsa2048, pkcs1, tls13)},
	{"RSA of 4096 bits", yes, yes, yes, "", showing(rsa4096, pkcs8, tls13)},
	{"P-224", no, no, no, kinds, showing(p224, pkcs8, tls13)},
	{"P-256", yes, yes, yes, "", showing(p256, pkcs8, tls13)},
	{"P-256 in SEC1", yes, yes, yes, "", showing(p256, sec1, tls13)},
	{"P-384", yes, yes, yes, "", showing(p384, pkcs8, tls13)},
	{"P-521", yes, yes, yes, "", showing(p521, pkcs8, tls13)},
	{"P-521 in SEC1", yes, yes, yes, "", showing(p521, sec1, tls13)},
	{"P-521 with TLS 1.2", yes, yes, yes, "", showing(p521, pkcs8, tls12)},
	{"Ed25519", yes, yes, yes, "", showing(edwards, pkcs8, tls13)},
	{"for servers alone", no, no, no, "check VAULT_CLIENT_CERT",
		showing(p256, pkcs8, tls13, purposes(forServers))},
	{"expired", no, no, no, "check VAULT_CLIENT_CERT", showing(p256, pkcs8, tls13, past)},
}
