package main

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"
)

func purposes(list ...x509.ExtKeyUsage) change {
	return with(func(template *x509.Certificate) { template.ExtKeyUsage = list })
}

func usage(bits x509.KeyUsage) change {
	return with(func(template *x509.Certificate) { template.KeyUsage = bits })
}

// leafWith is a server with changes.
func leafWith(changes ...change) func() server {
	return func() server {
		authority := root()
		return serve(authority, leaf(authority, changes...))
	}
}

// betweenWith is a server with a changed intermediate.
func betweenWith(changes ...change) func() server {
	return func() server {
		authority := root()
		between := ca(authority, changes...)
		return serve(authority, leaf(between), between)
	}
}

// rootWith is a server below a changed root.
func rootWith(changes ...change) func() server {
	return func() server {
		authority := root(changes...)
		return serve(authority, leaf(authority))
	}
}

const (
	forServers = x509.ExtKeyUsageServerAuth
	forClients = x509.ExtKeyUsageClientAuth
	forAny     = x509.ExtKeyUsageAny
	forMail    = x509.ExtKeyUsageEmailProtection
)

var (
	purposeID = asn1.ObjectIdentifier{2, 5, 29, 37}
	unknown   = with(func(template *x509.Certificate) {
		template.UnknownExtKeyUsage = []asn1.ObjectIdentifier{{1, 3, 6, 1, 4, 1, 99999, 1}}
	})
	// The extensions that may be critical in a server's certificate.
	critically = edit(func(body *body) {
		for at := range body.Extensions {
			extension := &body.Extensions[at]
			extension.Critical = !slices.ContainsFunc(keyIDs, extension.Id.Equal)
		}
	})
	// RFC 5280 sections 4.2.1.1 and 4.2.1.2.
	keyIDs = []asn1.ObjectIdentifier{{2, 5, 29, 35}, {2, 5, 29, 14}}
)

const noServers = "does not allow servers"

var purposeRows = []row{
	{"absent", yes, yes, yes, "", leafWith()},
	{"empty", no, yes, no, "extended key usage is empty",
		leafWith(extension(purposeID, false, []byte{0x30, 0}))},
	{"servers", yes, yes, yes, "", leafWith(purposes(forServers))},
	{"servers, critically", yes, yes, yes, "", leafWith(purposes(forServers), critically)},
	{"clients", no, no, no, noServers, leafWith(purposes(forClients))},
	{"clients and servers", yes, yes, yes, "", leafWith(purposes(forClients, forServers))},
	{"any", yes, yes, no, "", leafWith(purposes(forAny))},
	{"clients and any", yes, yes, no, "", leafWith(purposes(forClients, forAny))},
	{"mail", no, no, no, noServers, leafWith(purposes(forMail))},
	{"an unknown one", no, no, no, noServers, leafWith(unknown)},
	{"an unknown one and servers", yes, yes, yes, "", leafWith(unknown, purposes(forServers))},
	{"servers in an intermediate", yes, yes, yes, "", betweenWith(purposes(forServers))},
	{"any in an intermediate", yes, yes, no, "", betweenWith(purposes(forAny))},
	{"clients in an intermediate", no, no, no, noServers, betweenWith(purposes(forClients))},
	{"servers in a root", yes, yes, yes, "", rootWith(purposes(forServers))},
	{"clients in a root", no, no, no, noServers, rootWith(purposes(forClients))},
}

const (
	signs     = x509.KeyUsageDigitalSignature
	enciphers = x509.KeyUsageKeyEncipherment
	issues    = x509.KeyUsageCertSign
	mayNot    = "may not sign certificates"
)

var usageRows = []row{
	{"absent", yes, yes, yes, "", leafWith(usage(0))},
	{"digitalSignature", yes, yes, yes, "", leafWith(usage(signs))},
	{"digitalSignature, critically", yes, yes, yes, "", leafWith(usage(signs), critically)},
	{"keyEncipherment alone", yes, yes, yes, "", leafWith(usage(enciphers))},
	{"keyAgreement alone", yes, yes, yes, "", leafWith(usage(x509.KeyUsageKeyAgreement))},
	{"nonRepudiation alone", yes, yes, no, "", leafWith(usage(x509.KeyUsageContentCommitment))},
	{"keyCertSign alone", yes, yes, no, "", leafWith(usage(issues))},
	{"absent in an intermediate", yes, yes, yes, "", betweenWith(usage(0))},
	{"keyCertSign in an intermediate", yes, yes, yes, "", betweenWith(usage(issues))},
	{"digitalSignature in an intermediate", no, no, no, mayNot, betweenWith(usage(signs))},
	{"absent in a root", yes, yes, yes, "", rootWith(usage(0))},
	{"digitalSignature in a root", no, no, no, mayNot, rootWith(usage(signs))},
}

func pathLength(most int) change {
	return with(func(template *x509.Certificate) {
		template.MaxPathLen, template.MaxPathLenZero = most, most == 0
	})
}

// twoBetween has two intermediates, of which the upper one is changed.
func twoBetween(changes ...change) func() server {
	return func() server {
		authority := root()
		upper := ca(authority, changes...)
		lower := ca(upper)
		return serve(authority, leaf(lower), lower, upper)
	}
}

func rootBeforeOne(changes ...change) func() server {
	return func() server {
		authority := root(changes...)
		between := ca(authority)
		return serve(authority, leaf(between), between)
	}
}

var (
	noConstraints = with(func(template *x509.Certificate) {
		template.IsCA, template.BasicConstraintsValid = false, false
	})
	isNoCA = with(func(template *x509.Certificate) { template.IsCA = false })
	// Version 1 has no extensions; RFC 5280 section 4.1.2.1.
	version1 = edit(func(body *body) { body.Version, body.Extensions = 0, nil })
)

const (
	notAuthority = "not of an authority"
	tooLong      = "longer than an authority allows"
)

var constraintRows = []row{
	{"absent in a server", yes, yes, yes, "", leafWith(noConstraints)},
	{"a server that is an authority", no, yes, yes, "of an authority, not of a server",
		leafWith(authority, usage(signs))},
	{"absent in an intermediate", no, no, no, notAuthority, betweenWith(noConstraints)},
	{"no authority in an intermediate", no, no, no, notAuthority, betweenWith(isNoCA)},
	{"absent in a root", yes, no, yes, "", rootWith(noConstraints)},
	{"no authority in a root", no, no, no, notAuthority, rootWith(isNoCA)},
	{"a length of 0 above a server", yes, yes, yes, "", betweenWith(pathLength(0))},
	{"a length of 0 above an intermediate", no, no, no, tooLong, twoBetween(pathLength(0))},
	{"a length of 1 above an intermediate", yes, yes, yes, "", twoBetween(pathLength(1))},
	{"a root's length of 0 above a server", yes, yes, yes, "", rootWith(pathLength(0))},
	{"a root's length of 0 above an intermediate", no, no, no, tooLong,
		rootBeforeOne(pathLength(0))},
	{"a root's length of 1 above an intermediate", yes, yes, yes, "", rootBeforeOne(pathLength(1))},
	{"a root of version 1", yes, yes, yes, "", rootWith(version1)},
	{"an intermediate of version 1", no, no, no, "not of X.509 version 3", betweenWith(version1)},
	{"a server of version 1", no, no, no, "not of X.509 version 3", leafWith(version1)},
}
