// Each function fails in its own way; the line that a case is about bears its name.
package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"
)

const prefix = "shop: "

// ErrClosed is returned when the shop is closed.
var ErrClosed = errors.New("shop: closed for today") // case: sentinel

type soldOut struct{ item string }

func (e *soldOut) Error() string {
	return fmt.Sprintf("%s is sold out until monday", e.item) // case: error method
}

func price(item string, n int) (int, error) {
	if item == "" {
		return 0, errors.New(prefix + "the thing has no name") // case: constant prefix
	}
	if n < 0 {
		return 0, fmt.Errorf("cannot sell %d pieces of %q", n, item) // case: formatted
	}
	return 0, fmt.Errorf("reading the price of %s: %w", item, os.ErrPermission) // case: wrapped
}

func pay(amount int) {
	if amount > 100 {
		panic(fmt.Sprintf("the till cannot hold %d coins", amount)) // case: panic
	}
	panic("the till was never opened") // case: plain panic
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func second(_ any, err error) error { return err }

func parseFlags() error {
	set := flag.NewFlagSet("t", flag.ContinueOnError)
	set.SetOutput(new(strings.Builder))
	return set.Parse([]string{"-nope"})
}

func closeTwice() error {
	file, _ := os.Open(".")
	file.Close()
	return file.Close()
}

func main() {
	log.SetFlags(0)
	cases := map[string]func(){
		"sentinel":        func() { fail(ErrClosed) },
		"error method":    func() { fail(&soldOut{"tea"}) },
		"constant prefix": func() { _, err := price("", 1); fail(err) },
		"formatted":       func() { _, err := price("tea", -3); fail(err) },
		"wrapped":         func() { _, err := price("tea", 3); fail(err) },
		"panic":           func() { pay(101) },
		"plain panic":     func() { pay(1) },
		"fatal log":       func() { log.Fatalf("cannot print the bill of table %d", 4) }, // case: fatal log
		"to stderr": func() {
			fmt.Fprintf(os.Stderr, "bad shelf number: %v\n", -4) // case: to stderr
			os.Exit(2)
		},
		// What follows fails in the code of Go's own library.
		"go: bad number":   func() { fail(second(strconv.Atoi("12a"))) },                              // in: strconv/
		"go: number range": func() { fail(second(strconv.ParseInt("99999999999999999999", 10, 64))) }, // in: strconv/
		"go: json end":     func() { fail(json.Unmarshal([]byte("{"), new(any))) },                    // in: encoding/json/
		"go: json type":    func() { fail(json.Unmarshal([]byte(`"a"`), new(int))) },                  // in: encoding/json/
		"go: json target":  func() { fail(json.Unmarshal([]byte("{}"), nil)) },                        // in: encoding/json/
		"go: hex digit":    func() { fail(second(hex.DecodeString("zz"))) },                           // in: encoding/hex/
		"go: base64":       func() { fail(second(base64.StdEncoding.DecodeString("!"))) },             // in: encoding/base64/
		"go: url scheme":   func() { fail(second(url.Parse(":a"))) },                                  // in: net/url/
		"go: url escape":   func() { fail(second(url.QueryUnescape("%zz"))) },                         // in: net/url/
		"go: regexp":       func() { fail(second(regexp.Compile("a(b"))) },                            // in: regexp/
		"go: must compile": func() { regexp.MustCompile("[") },                                        // in: regexp/regexp.go
		"go: duration":     func() { fail(second(time.ParseDuration("3 lightyears"))) },               // in: time/format.go
		"go: negative rep": func() { strings.Repeat("x", -1) },                                        // in: strings/strings.go
		"go: template":     func() { fail(second(template.New("t").Parse("{{.A"))) },                  // in: text/template/parse/
		"go: ticker":       func() { time.NewTicker(0) },                                              // in: time/tick.go
		"go: flag":         func() { fail(parseFlags()) },                                             // in: flag/flag.go
		"go: closed file":  func() { fail(closeTwice()) },                                             // in: io/fs/|internal/oserror/
	}
	cases[os.Args[1]]()
}
