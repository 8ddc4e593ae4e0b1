package main

import (
	"crypto"
	"crypto/x509"
	"encoding/asn1"
)

func signedBy(algorithm x509.SignatureAlgorithm) change {
	return with(func(template *x509.Certificate) { template.SignatureAlgorithm = algorithm })
}

// signedAs signs by an algorithm that Go does not sign by.
func signedAs(algorithm signature) change {
	return func(draft *draft) { draft.signature = &algorithm }
}

var (
	rsaSha1    = signature{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 5}, crypto.SHA1, nil}
	rsaSha256  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}
	rsaSha384  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 12}
	rsaUnknown = signature{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 99}, crypto.SHA256, nil}
	ecdsaSha1  = signature{asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 1}, crypto.SHA1, nil}
)

func signedWithSha1Between() server {
	authority := root(withKey(rsa2048))
	between := ca(authority, signedAs(rsaSha1))
	return serve(authority, leaf(between), between)
}

func rootSignedWithSha1() server {
	authority := root(withKey(rsa2048), signedAs(rsaSha1))
	return serve(authority, leaf(authority))
}

// damaged has a signature of other bytes.
func damaged() server {
	authority := root(withKey(rsa2048))
	shown := leaf(authority)
	shown.der[len(shown.der)-1] ^= 1
	return serve(authority, shown)
}

var signatureRows = []row{
	{"RSA with SHA-1", no, no, no, "SHA-1", rootWithKey(rsa2048, signedAs(rsaSha1))},
	{"RSA with SHA-256", yes, yes, yes, "", rootWithKey(rsa2048, signedBy(x509.SHA256WithRSA))},
	{"RSA with SHA-384", yes, yes, yes, "", rootWithKey(rsa2048, signedBy(x509.SHA384WithRSA))},
	{"RSA with SHA-512", yes, yes, yes, "", rootWithKey(rsa2048, signedBy(x509.SHA512WithRSA))},
	{"PSS with SHA-256", yes, yes, yes, "", rootWithKey(rsa2048, signedBy(x509.SHA256WithRSAPSS))},
	{"PSS with SHA-384", yes, yes, yes, "", rootWithKey(rsa2048, signedBy(x509.SHA384WithRSAPSS))},
	{"PSS with SHA-512", yes, yes, yes, "", rootWithKey(rsa2048, signedBy(x509.SHA512WithRSAPSS))},
	{"RSA with an unknown algorithm", no, no, no, "1.2.840.113549.1.1.99",
		rootWithKey(rsa2048, signedAs(rsaUnknown))},
	{"P-256 with SHA-1", no, no, no, "SHA-1", rootWithKey(p256, signedAs(ecdsaSha1))},
	{"P-256 with SHA-256", yes, yes, yes, "", rootWithKey(p256, signedBy(x509.ECDSAWithSHA256))},
	{"P-256 with SHA-384", yes, yes, yes, "", rootWithKey(p256, signedBy(x509.ECDSAWithSHA384))},
	{"P-256 with SHA-512", yes, yes, yes, "", rootWithKey(p256, signedBy(x509.ECDSAWithSHA512))},
	{"P-384 with SHA-256", yes, yes, yes, "", rootWithKey(p384, signedBy(x509.ECDSAWithSHA256))},
	{"P-384 with SHA-384", yes, yes, yes, "", rootWithKey(p384, signedBy(x509.ECDSAWithSHA384))},
	{"P-384 with SHA-512", yes, yes, yes, "", rootWithKey(p384, signedBy(x509.ECDSAWithSHA512))},
	{"P-521 with SHA-256", yes, yes, yes, "", rootWithKey(p521, signedBy(x509.ECDSAWithSHA256))},
	{"P-521 with SHA-384", yes, yes, yes, "", rootWithKey(p521, signedBy(x509.ECDSAWithSHA384))},
	{"P-521 with SHA-512", yes, yes, yes, "", rootWithKey(p521, signedBy(x509.ECDSAWithSHA512))},
	{"an intermediate that is signed with SHA-1", no, no, no, "SHA-1", signedWithSha1Between},
	{"a root that is signed with SHA-1", yes, yes, yes, "", rootSignedWithSha1},
	{"two different algorithms in one certificate", no, no, no, "two different algorithms",
		rootWithKey(rsa2048, signedAs(signature{rsaSha256, crypto.SHA256, rsaSha384}))},
	{"a damaged signature", no, no, no, "unknown authority", damaged},
}
