package main

import (
	"crypto"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"sync"
)

// RSA keys take long to make: one of each length.
var rsa1024, rsa2048, rsa3072, rsa4096 = rsaKey(1024), rsaKey(2048), rsaKey(3072), rsaKey(4096)

func rsaKey(bits int) func() crypto.Signer {
	return sync.OnceValue(func() crypto.Signer {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		must(err)
		return key
	})
}

func p224() crypto.Signer { return ecdsaKey(elliptic.P224()) }
func p256() crypto.Signer { return ecdsaKey(elliptic.P256()) }
func p384() crypto.Signer { return ecdsaKey(elliptic.P384()) }
func p521() crypto.Signer { return ecdsaKey(elliptic.P521()) }

func edwards() crypto.Signer {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	return key
}

func withKey(key func() crypto.Signer) change {
	return func(draft *draft) { draft.key = key() }
}

// leafWithKey is a server with a key.
func leafWithKey(key func() crypto.Signer) func() server {
	return func() server {
		authority := root()
		return serve(authority, leaf(authority, withKey(key)))
	}
}

// rootWithKey is a server whose authority has a key.
func rootWithKey(key func() crypto.Signer, changes ...change) func() server {
	return func() server {
		authority := root(withKey(key))
		return serve(authority, leaf(authority, changes...))
	}
}

// The identifier of PSS, and of RSA keys that sign by it alone; RFC 4055 section 1.2.
var pss = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}

func rootWithPssKey() server {
	authority := root(withKey(rsa2048), edit(func(body *body) {
		body.Key.Algorithm = pkix.AlgorithmIdentifier{Algorithm: pss}
	}), signedBy(x509.SHA256WithRSAPSS))
	return serve(authority, leaf(authority, signedBy(x509.SHA256WithRSAPSS)))
}

var keyRows = []row{
	{"a server with RSA of 1024 bits", no, yes, no, "RSA key of 1024 bits", leafWithKey(rsa1024)},
	{"a server with RSA of 2048 bits", yes, yes, yes, "", leafWithKey(rsa2048)},
	{"a server with RSA of 3072 bits", yes, yes, yes, "", leafWithKey(rsa3072)},
	{"a server with RSA of 4096 bits", yes, yes, yes, "", leafWithKey(rsa4096)},
	{"a server with P-256", yes, yes, yes, "", leafWithKey(p256)},
	{"a server with P-384", yes, yes, yes, "", leafWithKey(p384)},
	{"a server with P-521", yes, yes, yes, "", leafWithKey(p521)},
	{"a server with Ed25519", yes, yes, yes, "", leafWithKey(edwards)},
	{"an authority with RSA of 1024 bits", no, yes, no, "RSA key of 1024 bits",
		rootWithKey(rsa1024)},
	{"an authority with RSA of 2048 bits", yes, yes, yes, "", rootWithKey(rsa2048)},
	{"an authority with RSA of 4096 bits", yes, yes, yes, "", rootWithKey(rsa4096)},
	{"an authority with RSA for PSS alone", no, no, yes, "a key of RSA for RSA-PSS alone",
		rootWithPssKey},
	{"an authority with P-224", no, yes, yes, "ECDSA with SHA-256 and a key of P-224",
		rootWithKey(p224)},
	{"an authority with P-256", yes, yes, yes, "", rootWithKey(p256)},
	{"an authority with P-384", yes, yes, yes, "", rootWithKey(p384)},
	{"an authority with P-521", yes, yes, yes, "", rootWithKey(p521)},
	{"an authority with Ed25519", yes, yes, yes, "", rootWithKey(edwards)},
}
