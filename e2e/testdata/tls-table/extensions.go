package main

import (
	"crypto/x509"
	"encoding/asn1"
	"net"
)

func permitted(domains ...string) change {
	return with(func(template *x509.Certificate) { template.PermittedDNSDomains = domains })
}

func excluded(domains ...string) change {
	return with(func(template *x509.Certificate) { template.ExcludedDNSDomains = domains })
}

func ranges(permitted, excluded string) change {
	return with(func(template *x509.Certificate) {
		for text, list := range map[string]*[]*net.IPNet{
			permitted: &template.PermittedIPRanges,
			excluded:  &template.ExcludedIPRanges,
		} {
			if text == "" {
				continue
			}
			_, found, err := net.ParseCIDR(text)
			must(err)
			*list = append(*list, found)
		}
	})
}

// byAddress is the server's address behind an intermediate with a constraint.
func byAddress(constraint change) func() server {
	return func() server {
		authority := root()
		between := ca(authority, constraint)
		return serve(authority, leaf(between, addresses("127.0.0.1")), between).as("127.0.0.1")
	}
}

// belowConstraint is a server with names behind an intermediate with a constraint.
func belowConstraint(constraint change, names ...string) func() server {
	return func() server {
		authority := root()
		between := ca(authority, constraint)
		return serve(authority, leaf(between, dns(names...)), between)
	}
}

func constraintFarAbove() server {
	authority := root()
	upper := ca(authority, permitted("other.example"))
	lower := ca(upper)
	return serve(authority, leaf(lower), lower, upper)
}

const forbidden = "name constraint"

var mails = with(func(template *x509.Certificate) {
	template.PermittedEmailAddresses = []string{"example"}
})

var nameConstraintRows = []row{
	{"the name is permitted", yes, yes, yes, "", betweenWith(permitted(usualName))},
	{"the domain is permitted", yes, yes, yes, "", betweenWith(permitted("example"))},
	{"another domain is permitted", no, no, no, forbidden, betweenWith(permitted("other.example"))},
	{"another domain is permitted, twice above", no, no, no, forbidden, constraintFarAbove},
	{"two domains are permitted", yes, yes, yes, "",
		betweenWith(permitted("other.example", "example"))},
	{"one name of two is permitted", no, no, no, forbidden,
		belowConstraint(permitted("example"), usualName, "vault.test")},
	{"the name is excluded", no, no, no, forbidden, betweenWith(excluded(usualName))},
	{"the domain is excluded", no, no, no, forbidden, betweenWith(excluded("example"))},
	{"another domain is excluded", yes, yes, yes, "", betweenWith(excluded("other.example"))},
	{"a name under an excluded wildcard", no, no, yes, forbidden,
		belowConstraint(excluded("a.vault.test"), usualName, "*.vault.test")},
	{"the address is permitted", yes, yes, yes, "", byAddress(ranges("127.0.0.0/8", ""))},
	{"another address is permitted", no, no, no, forbidden, byAddress(ranges("10.0.0.0/8", ""))},
	{"the address is excluded", no, no, no, forbidden, byAddress(ranges("", "127.0.0.0/8"))},
	{"a domain is permitted, and no address", yes, yes, yes, "", byAddress(permitted("example"))},
	{"mail addresses alone", yes, yes, yes, "", betweenWith(mails)},
	{"a root that permits the domain", yes, yes, yes, "", rootWith(permitted("example"))},
	{"a root that permits another domain", no, no, no, forbidden,
		rootWith(permitted("other.example"))},
}

var (
	unknownID   = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 2}
	policiesID  = asn1.ObjectIdentifier{2, 5, 29, 32}
	constrainID = asn1.ObjectIdentifier{2, 5, 29, 36}
	inhibitID   = asn1.ObjectIdentifier{2, 5, 29, 54}
	namesID     = asn1.ObjectIdentifier{2, 5, 29, 17}
	stapleID    = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 24}
	// anyPolicy; RFC 5280 section 4.2.1.4.
	policies = []byte{0x30, 8, 0x30, 6, 6, 4, 0x55, 0x1d, 0x20, 0}
	// requireExplicitPolicy after 5 certificates; section 4.2.1.11.
	constrains = []byte{0x30, 3, 0x80, 1, 5}
	null       = []byte{5, 0}
)

var twice = edit(func(body *body) {
	body.Extensions = append(body.Extensions, body.Extensions[0])
})

var extensionRows = []row{
	{"an unknown one", no, no, no, "1.3.6.1.4.1.99999.2",
		leafWith(extension(unknownID, true, null))},
	{"an unknown one that is not critical", yes, yes, yes, "",
		leafWith(extension(unknownID, false, null))},
	{"an unknown one in an intermediate", no, no, no, "1.3.6.1.4.1.99999.2",
		betweenWith(extension(unknownID, true, null))},
	{"an unknown one in a root", no, no, no, "1.3.6.1.4.1.99999.2",
		rootWith(extension(unknownID, true, null))},
	{"policies", no, yes, yes, "2.5.29.32", leafWith(extension(policiesID, true, policies))},
	{"policies that are not critical", yes, yes, yes, "",
		leafWith(extension(policiesID, false, policies))},
	{"policies in an intermediate", no, yes, yes, "2.5.29.32",
		betweenWith(extension(policiesID, true, policies))},
	{"policyConstraints in an intermediate", no, yes, yes, "2.5.29.36",
		betweenWith(extension(constrainID, true, constrains))},
	{"inhibitAnyPolicy in an intermediate", no, yes, yes, "2.5.29.54",
		betweenWith(extension(inhibitID, true, []byte{2, 1, 5}))},
	{"names", yes, yes, yes, "", leafWith(critically)},
	{"a demand for a stapled answer, not critical", yes, yes, yes, "",
		leafWith(extension(stapleID, false, []byte{0x30, 3, 2, 1, 5}))},
	{"the same twice", no, no, no, "malformed", leafWith(twice)},
	{"malformed names", no, no, no, "not well-formed", leafWith(edit(func(body *body) {
		for at := range body.Extensions {
			if body.Extensions[at].Id.Equal(namesID) {
				body.Extensions[at].Value = []byte{0x30, 9, 1}
			}
		}
	}))},
}
