package main

import (
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"strings"
	"time"
)

func valid(from, until time.Time) change {
	return with(func(template *x509.Certificate) {
		template.NotBefore, template.NotAfter = from, until
	})
}

func days(count int) time.Time { return time.Now().AddDate(0, 0, count) }

// validAs writes the two times with a tag each: 23 for UTCTime and 24 for GeneralizedTime.
func validAs(tag int, from, until string) change {
	return edit(func(body *body) {
		var value []byte
		for _, text := range []string{from, until} {
			one, err := asn1.Marshal(asn1.RawValue{Tag: tag, Bytes: []byte(text)})
			must(err)
			value = append(value, one...)
		}
		body.Validity = asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: value}
	})
}

const (
	expired = "has expired"
	early   = "not valid yet"
)

var (
	past   = valid(days(-9), days(-2))
	future = valid(days(2), days(9))
)

var timeRows = []row{
	{"expired", no, no, no, expired, leafWith(past)},
	{"not yet valid", no, no, no, early, leafWith(future)},
	{"until 2049, in UTCTime", yes, yes, yes, "",
		leafWith(valid(days(-1), time.Date(2049, 12, 31, 23, 59, 59, 0, time.UTC)))},
	{"until 9999, in GeneralizedTime", yes, yes, yes, "",
		leafWith(valid(days(-1), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)))},
	{"this century in GeneralizedTime", yes, yes, yes, "",
		leafWith(validAs(24, "20200101000000Z", "20400101000000Z"))},
	{"an end before its begin", no, no, no, "ends before it begins",
		leafWith(valid(days(-1), days(-2)))},
	{"without seconds", no, yes, no, "not well-formed",
		leafWith(validAs(23, "2001010000Z", "4001010000Z"))},
	{"with a time zone", no, yes, no, "not well-formed",
		leafWith(validAs(23, "200101000000+0100", "400101000000+0100"))},
	{"an expired intermediate", no, no, no, expired, betweenWith(past)},
	{"an intermediate that is not yet valid", no, no, no, early, betweenWith(future)},
	{"an expired root", no, no, no, expired, rootWith(past)},
	{"a root that is not yet valid", no, no, no, early, rootWith(future)},
}

func serial(bytes ...byte) change {
	return edit(func(body *body) {
		body.Serial = asn1.RawValue{Tag: asn1.TagInteger, Bytes: bytes}
	})
}

func longSerial(octets int) change {
	number := new(big.Int).SetBytes([]byte(strings.Repeat("\x11", octets)))
	return serial(number.Bytes()...)
}

var serialRows = []row{
	{"0", yes, yes, yes, "", leafWith(serial(0))},
	{"1", yes, yes, yes, "", leafWith(serial(1))},
	{"negative", yes, no, yes, "", leafWith(serial(0x80))},
	{"20 octets", yes, yes, yes, "", leafWith(longSerial(20))},
	{"21 octets", yes, yes, yes, "", leafWith(longSerial(21))},
	{"64 octets", yes, yes, yes, "", leafWith(longSerial(64))},
	{"21 octets in an intermediate", yes, yes, yes, "", betweenWith(longSerial(21))},
	{"64 octets in an intermediate", yes, yes, yes, "", betweenWith(longSerial(64))},
	{"64 octets in a root", yes, yes, yes, "", rootWith(longSerial(64))},
	{"negative in an intermediate", yes, no, yes, "", betweenWith(serial(0x80))},
	{"negative in a root", yes, no, yes, "", rootWith(serial(0x80))},
}
