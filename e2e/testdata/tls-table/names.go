package main

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"strings"
)

func dns(names ...string) change {
	return with(func(template *x509.Certificate) { template.DNSNames = names })
}

func addresses(texts ...string) change {
	return with(func(template *x509.Certificate) {
		template.DNSNames = nil
		for _, text := range texts {
			template.IPAddresses = append(template.IPAddresses, net.ParseIP(text))
		}
	})
}

// expecting is a server with changes, of which clients expect a name.
func expecting(host string, changes ...change) func() server {
	return func() server { return leafWith(changes...)().as(host) }
}

const wrong = "is not for"

var longName = strings.Repeat(strings.Repeat("a", 62)+".", 4) + "z"

func manyNames() []string {
	var names []string
	for number := range 200 {
		names = append(names, fmt.Sprintf("vault-%d.example", number))
	}
	return append(names, usualName)
}

var elsewhere = with(func(template *x509.Certificate) {
	template.URIs = []*url.URL{{Scheme: "spiffe", Host: "example", Path: "/vault"}}
	template.EmailAddresses = []string{"vault@example.test"}
})

var nameRows = []row{
	{"the same", yes, yes, yes, "", expecting("vault.example", dns("vault.example"))},
	{"in capitals", yes, yes, yes, "", expecting("vault.example", dns("VAULT.Example"))},
	{"expected in capitals", yes, yes, yes, "", expecting("VAULT.Example", dns("vault.example"))},
	{"another", no, no, no, wrong, expecting("vault.example", dns("other.example"))},
	{"the second of two", yes, yes, yes, "",
		expecting("vault.example", dns("other.example", "vault.example"))},
	{"the last of 201", yes, yes, yes, "", expecting("vault.example", dns(manyNames()...))},
	{"a wildcard", yes, yes, yes, "", expecting("vault.example.test", dns("*.example.test"))},
	{"a wildcard for two labels", no, no, no, wrong,
		expecting("a.vault.example.test", dns("*.example.test"))},
	{"a wildcard for no label", no, no, no, wrong,
		expecting("example.test", dns("*.example.test"))},
	{"a wildcard below the top", no, yes, no, wrong, expecting("vault.test", dns("*.test"))},
	{"a wildcard alone", no, no, no, wrong, expecting("vault", dns("*"))},
	{"a wildcard for a part of a label", no, no, yes, wrong,
		expecting("vault.example.test", dns("v*.example.test"))},
	{"a wildcard in the middle", no, no, no, wrong,
		expecting("vault.a.example.test", dns("vault.*.example.test"))},
	{"two wildcards", no, no, no, wrong,
		expecting("vault.a.example.test", dns("*.*.example.test"))},
	{"an IPv4 address", yes, yes, yes, "", expecting("127.0.0.1", addresses("127.0.0.1"))},
	{"another IPv4 address", no, no, no, wrong, expecting("127.0.0.1", addresses("127.0.0.2"))},
	{"an IPv6 address", yes, yes, yes, "", expecting("::1", addresses("::1"))},
	{"another IPv6 address", no, no, no, wrong, expecting("::1", addresses("::2"))},
	{"an address as a DNS name", no, no, no, wrong, expecting("127.0.0.1", dns("127.0.0.1"))},
	{"a DNS name for an address", no, no, no, wrong, expecting("127.0.0.1", dns("localhost"))},
	{"the common name alone", no, no, yes, wrong,
		expecting("vault.example", dns(), named("vault.example"))},
	{"the common name beside another DNS name", no, no, no, wrong,
		expecting("vault.example", dns("other.example"), named("vault.example"))},
	{"an address in the common name", no, no, no, wrong,
		expecting("127.0.0.1", dns(), named("127.0.0.1"))},
	{"an empty list", no, no, no, wrong,
		expecting("vault.example", dns(), extension(namesID, false, []byte{0x30, 0}))},
	{"a URI and a mail address alone", no, no, no, wrong,
		expecting("vault.example", dns(), elsewhere)},
	{"expected with a dot at the end", no, yes, no, "must be a host name",
		expecting("vault.example.", dns("vault.example"))},
	{"with a dot at the end", no, no, no, wrong, expecting("vault.example", dns("vault.example."))},
	{"an international one", yes, yes, yes, "",
		expecting("xn--bcher-kva.example", dns("xn--bcher-kva.example"))},
	{"with an underscore", yes, yes, yes, "",
		expecting("my_vault.example", dns("my_vault.example"))},
	{"of one label", yes, yes, yes, "", expecting("localhost", dns("localhost"))},
	{"of 253 octets", yes, yes, yes, "", expecting(longName, dns(longName))},
	{"with a label of 63 octets", yes, yes, yes, "",
		expecting(strings.Repeat("a", 63)+".example", dns(strings.Repeat("a", 63)+".example"))},
}
