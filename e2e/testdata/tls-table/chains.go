package main

import (
	"crypto/x509"
	"fmt"
	"time"
)

// chainOf makes a root, and below it that many intermediates and a server. The server comes first
// and the root last.
func chainOf(intermediates int) []*certificate {
	chain := []*certificate{root()}
	for range intermediates {
		chain = append(chain, ca(chain[len(chain)-1]))
	}
	return reversed(append(chain, leaf(chain[len(chain)-1])))
}

func withoutRoot(chain []*certificate) server {
	last := len(chain) - 1
	return serve(chain[last], chain[:last]...)
}

var lengthRows = func() (rows []row) {
	for intermediates := range 11 {
		name := fmt.Sprint(intermediates, " intermediates")
		row := row{name: name, svc: yes, golang: yes, openssl: yes}
		if intermediates > 6 {
			row.svc, row.reason = no, "more than six intermediate certificates"
		}
		row.build = func() server { return withoutRoot(chainOf(intermediates)) }
		rows = append(rows, row)
	}
	return rows
}()

func inOrder(order ...int) func() server {
	return func() server {
		chain := chainOf(3)
		root := chain[len(chain)-1]
		var shown []*certificate
		for _, at := range order {
			shown = append(shown, chain[at])
		}
		return serve(root, shown...)
	}
}

var orderRows = []row{
	{"as it is signed", yes, yes, yes, "", inOrder(0, 1, 2, 3)},
	{"with the root", yes, yes, yes, "", inOrder(0, 1, 2, 3, 4)},
	{"with the root before the intermediates", yes, yes, yes, "", inOrder(0, 4, 1, 2, 3)},
	{"intermediates the other way round", yes, yes, yes, "", inOrder(0, 3, 2, 1)},
	{"intermediates mixed", yes, yes, yes, "", inOrder(0, 2, 3, 1)},
	{"an intermediate twice", yes, yes, yes, "", inOrder(0, 1, 1, 2, 3, 3)},
	{"the server twice", yes, yes, yes, "", inOrder(0, 0, 1, 2, 3)},
	{"without the first intermediate", no, no, no, "unknown authority", inOrder(0, 2, 3)},
	{"without an intermediate in the middle", no, no, no, "unknown authority", inOrder(0, 1, 3)},
	{"without the last intermediate", no, no, no, "unknown authority", inOrder(0, 1, 2)},
	{"the server alone", no, no, no, "unknown authority", inOrder(0)},
	{"with a stranger's certificate", yes, yes, yes, "", func() server {
		chain := chainOf(1)
		return serve(chain[2], chain[0], root(), chain[1])
	}},
	{"an intermediate in the server's place", no, no, no, "", func() server {
		chain := chainOf(1)
		return serve(chain[2], chain[1], chain[0])
	}},
}

// again makes a certificate of the same subject and key by another authority.
func again(by, old *certificate, changes ...change) *certificate {
	same := func(draft *draft) {
		draft.template.Subject = old.parsed.Subject
		draft.template.SubjectKeyId = old.parsed.SubjectKeyId
		draft.key = old.key
	}
	return ca(by, append([]change{same}, changes...)...)
}

// crossSigned shows an intermediate by two authorities, of which clients trust the second.
func crossSigned(first ...change) func() server {
	return func() server {
		old, current := root(), root()
		one := ca(old, first...)
		two := again(current, one)
		return serve(current, leaf(one), one, two)
	}
}

func selfSigned(changes ...change) func() server {
	return func() server {
		shown := leaf(nil, changes...)
		return serve(shown, shown)
	}
}

// sameName has two roots of a name; clients trust both.
func sameName() server {
	one, two := root(named("one name")), root(named("one name"))
	return serve(one, leaf(two)).trusting(one, two)
}

// renewed has an expired root and its successor of the same key; clients trust both.
func renewed(order func(...*certificate) []*certificate) func() server {
	return func() server {
		old := root(past)
		current := again(nil, old)
		return serve(old, leaf(current)).trusting(order(old, current)...)
	}
}

func oldFirst(roots ...*certificate) []*certificate { return roots }
func newFirst(roots ...*certificate) []*certificate { return reversed(roots) }

func expiredBefore(draft *draft) {
	draft.template.NotAfter = time.Now().Add(-time.Hour)
}

var authorityRows = []row{
	{"a stranger", no, no, no, "unknown authority", func() server {
		return serve(root(), leaf(root()))
	}},
	{"a stranger of the same name", no, no, no, "unknown authority", func() server {
		return serve(root(named("one name")), leaf(root(named("one name"))))
	}},
	{"two trusted ones of a name", yes, yes, yes, "", sameName},
	{"an expired one before its successor", yes, yes, yes, "", renewed(oldFirst)},
	{"an expired one after its successor", yes, yes, yes, "", renewed(newFirst)},
	{"cross-signed by a stranger, too", yes, yes, no, "", crossSigned()},
	{"cross-signed, with the other expired", yes, yes, yes, "", crossSigned(expiredBefore)},
	{"cross-signed, with the other for clients", yes, yes, no, "",
		crossSigned(purposes(x509.ExtKeyUsageClientAuth))},
	{"cross-signed, with the other not to sign", yes, yes, no, "",
		crossSigned(usage(x509.KeyUsageCRLSign))},
	{"an intermediate that is trusted", yes, yes, no, "", func() server {
		chain := chainOf(2)
		return serve(chain[1], chain[0])
	}},
	{"an intermediate that is trusted beside its root", yes, yes, yes, "", func() server {
		chain := chainOf(2)
		return serve(chain[1], chain[0]).trusting(chain[1], chain[2], chain[3])
	}},
	{"the server's own certificate, signed by a stranger", yes, yes, no, "", func() server {
		shown := leaf(root())
		return serve(shown, shown)
	}},
	{"the server itself", yes, yes, yes, "", selfSigned()},
	{"the server itself, as an authority", yes, yes, yes, "",
		selfSigned(authority, usage(signs|issues))},
	{"the server itself, for clients", no, no, no, "does not allow servers",
		selfSigned(purposes(x509.ExtKeyUsageClientAuth))},
	{"the server itself, untrusted", no, no, no, "unknown authority", func() server {
		return serve(root(), leaf(nil))
	}},
	{"a server that signs another", no, no, no, "not of an authority", func() server {
		authority := root()
		between := leaf(authority)
		return serve(authority, leaf(between), between)
	}},
	{"a trusted server that signs another", no, no, no, "not of an authority", func() server {
		between := leaf(nil)
		return serve(between, leaf(between))
	}},
}
