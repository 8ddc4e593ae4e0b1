package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
	"sync/atomic"
	"time"
)

const usualName = "vault.example"

// A certificate with its key.
type certificate struct {
	der []byte
	key crypto.Signer
	// As it was before its edits, to sign others by it.
	parsed *x509.Certificate
}

// A draft of a certificate.
type draft struct {
	template *x509.Certificate
	key      crypto.Signer
	edits    []func(*body)
	// The algorithm of the signature, if Go would take another.
	signature *signature
}

type change func(*draft)

// A body is a TBSCertificate; RFC 5280 section 4.1.
type body struct {
	Version    int `asn1:"optional,explicit,default:0,tag:0"`
	Serial     asn1.RawValue
	Algorithm  pkix.AlgorithmIdentifier
	Issuer     asn1.RawValue
	Validity   asn1.RawValue
	Subject    asn1.RawValue
	Key        keyInfo
	Extensions []pkix.Extension `asn1:"omitempty,optional,explicit,tag:3"`
}

type keyInfo struct {
	Algorithm pkix.AlgorithmIdentifier
	Bits      asn1.BitString
}

// A signature's algorithm, and its hash.
type signature struct {
	id   asn1.ObjectIdentifier
	hash crypto.Hash
	// The identifier outside of the body, if it is another.
	outside asn1.ObjectIdentifier
}

var count atomic.Int64

// root makes an authority that signs itself.
func root(changes ...change) *certificate {
	return issue(nil, append([]change{authority}, changes...)...)
}

// ca makes an authority below another.
func ca(by *certificate, changes ...change) *certificate {
	return issue(by, append([]change{authority}, changes...)...)
}

// leaf makes a server's certificate with the usual name.
func leaf(by *certificate, changes ...change) *certificate {
	server := func(draft *draft) {
		draft.template.DNSNames = []string{usualName}
		draft.template.KeyUsage = x509.KeyUsageDigitalSignature
		draft.template.BasicConstraintsValid = true
	}
	return issue(by, append([]change{server}, changes...)...)
}

func authority(draft *draft) {
	draft.template.IsCA = true
	draft.template.BasicConstraintsValid = true
	draft.template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
}

// issue makes a certificate; without an issuer it signs itself.
func issue(by *certificate, changes ...change) *certificate {
	number := count.Add(1)
	draft := draft{template: &x509.Certificate{
		SerialNumber: big.NewInt(1<<40 + number),
		Subject:      pkix.Name{CommonName: fmt.Sprintf("number %d", number)},
		NotBefore:    time.Now().Add(-24 * time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}}
	for _, change := range changes {
		change(&draft)
	}
	if draft.key == nil {
		draft.key = ecdsaKey(elliptic.P256())
	}
	parent, signer := draft.template, draft.key
	if by != nil {
		parent, signer = by.parsed, by.key
	}
	public := draft.key.Public()
	der, err := x509.CreateCertificate(rand.Reader, draft.template, parent, public, signer)
	must(err)
	parsed, err := x509.ParseCertificate(der)
	must(err)
	if len(draft.edits) > 0 || draft.signature != nil {
		der = draft.edited(parsed, signer)
	}
	return &certificate{der: der, key: draft.key, parsed: parsed}
}

// edited changes the body of a certificate, and signs it again.
func (draft *draft) edited(parsed *x509.Certificate, signer crypto.Signer) []byte {
	var content body
	_, err := asn1.Unmarshal(parsed.RawTBSCertificate, &content)
	must(err)
	for _, edit := range draft.edits {
		edit(&content)
	}
	algorithm := draft.signature
	if algorithm == nil {
		algorithm = &signature{id: content.Algorithm.Algorithm, hash: crypto.SHA256}
	} else {
		content.Algorithm = identifierOf(algorithm.id, signer)
	}
	bytes, err := asn1.Marshal(content)
	must(err)
	digest := algorithm.hash.New()
	digest.Write(bytes)
	var options crypto.SignerOpts = algorithm.hash
	if algorithm.id.Equal(pss) {
		options = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: algorithm.hash}
	}
	signed, err := signer.Sign(rand.Reader, digest.Sum(nil), options)
	must(err)
	outside := content.Algorithm
	if algorithm.outside != nil {
		outside = identifierOf(algorithm.outside, signer)
	}
	bits := asn1.BitString{Bytes: signed, BitLength: 8 * len(signed)}
	der, err := asn1.Marshal(struct {
		Body      asn1.RawValue
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
	}{asn1.RawValue{FullBytes: bytes}, outside, bits})
	must(err)
	return der
}

// identifierOf has NULL for RSA and nothing for ECDSA as parameters; RFC 4055, RFC 5758.
func identifierOf(id asn1.ObjectIdentifier, signer crypto.Signer) pkix.AlgorithmIdentifier {
	if _, isRSA := signer.(*rsa.PrivateKey); isRSA {
		return pkix.AlgorithmIdentifier{Algorithm: id, Parameters: asn1.NullRawValue}
	}
	return pkix.AlgorithmIdentifier{Algorithm: id}
}

func ecdsaKey(curve elliptic.Curve) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	must(err)
	return key
}

// with changes the template.
func with(set func(*x509.Certificate)) change {
	return func(draft *draft) { set(draft.template) }
}

// edit changes the body behind Go's back.
func edit(set func(*body)) change {
	return func(draft *draft) { draft.edits = append(draft.edits, set) }
}

// extension adds an extension.
func extension(id asn1.ObjectIdentifier, critical bool, value []byte) change {
	return with(func(template *x509.Certificate) {
		added := pkix.Extension{Id: id, Critical: critical, Value: value}
		template.ExtraExtensions = append(template.ExtraExtensions, added)
	})
}

// named sets the subject's common name.
func named(name string) change {
	return with(func(template *x509.Certificate) { template.Subject.CommonName = name })
}
