// Each case fails in its own way. Written down before anything was known of how they match, and
// all of them kept. The line that a case is about bears its name.
package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"
)

// ErrSold is returned for goods that are gone.
var ErrSold = errors.New("market: the goods are gone") // case: wrapped sentinel

type constError string

func (e constError) Error() string { return string(e) }

// ErrRain is returned when it rains.
const ErrRain = constError("the market is closed for rain") // case: constant error

const noOwner = "stall %d has no owner, ask %s"

type stallError struct {
	stall int
	err   error
}

func (e *stallError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("stall %d burned down", e.stall) // case: first of an error method
	}
	return fmt.Sprintf("stall %d cannot open: %v", e.stall, e.err) // case: second of an error method
}

func (e *stallError) Unwrap() error { return e.err }

type kind int

func (k kind) Error() string {
	switch k {
	case 1:
		return "the scales are broken" // case: switch of an error method
	default:
		return "unknown kind " + strconv.Itoa(int(k)) // case: default of an error method
	}
}

var texts = map[int]string{
	4: "the table has only three legs", // case: map of texts
	5: "the table has no plate",
}

func open(name string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("opening the book of %s: %w", name, err) // case: deferred wrap
		}
	}()
	return ErrRain
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func weigh(grams int) (int, error) {
	if grams > 1000 {
		return 0, fmt.Errorf("the scales end at 1000 grams, not %d", grams) // case: panic with an error
	}
	return grams, nil
}

func leave(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "market: "+format+"\n", values...)
	os.Exit(3)
}

func stop(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

func cidr(text string) (any, error) {
	_, block, err := net.ParseCIDR(text)
	return block, err
}

func last(_ any, err error) error { return err }

func strict() error {
	decoder := json.NewDecoder(strings.NewReader(`{"b": 1}`))
	decoder.DisallowUnknownFields()
	return decoder.Decode(&struct{ A int }{})
}

func scan() error {
	scanner := bufio.NewScanner(strings.NewReader(strings.Repeat("x", 100_000)))
	for scanner.Scan() {
	}
	return scanner.Err()
}

func deadline() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	return ctx.Err()
}

func fill() error {
	return template.Must(template.New("t").Parse("{{.Nope}}")).Execute(io.Discard, struct{ A int }{})
}

func main() {
	log.SetFlags(0)
	var nothing map[string]int
	var pointer *stallError
	var any_ any = "text"
	numbers := make([]int, 3, 5)
	at := len(os.Args) + 5
	cases := map[string]func(){
		"wrapped sentinel":           func() { stop(fmt.Errorf("order %d: %w", 7, ErrSold)) }, // case: wrapped sentinel
		"constant error":             func() { stop(ErrRain) },
		"constant format":            func() { stop(fmt.Errorf(noOwner, 4, "Kim")) }, // case: constant format
		"first of an error method":   func() { stop(&stallError{3, nil}) },
		"second of an error method":  func() { stop(&stallError{3, ErrRain}) },
		"switch of an error method":  func() { stop(kind(1)) },
		"default of an error method": func() { stop(kind(9)) },
		"map of texts":               func() { stop(errors.New(texts[4])) },
		"deferred wrap":              func() { stop(open("Kim")) },
		"panic with an error":        func() { must(weigh(2000)) },
		"new of a sum":               func() { stop(errors.New("the till of " + os.Args[1] + " is empty")) }, // case: new of a sum
		"panic in a goroutine": func() {
			go func() { panic("the carrier dropped a box of " + os.Args[1]) }() // case: panic in a goroutine
			time.Sleep(time.Minute)
		},
		"panic of the log":  func() { log.Panicf("no change left for %s", "Kim") },                            // case: panic of the log
		"logger of its own": func() { log.New(os.Stderr, "market: ", 0).Fatalln("no bags left at stall", 4) }, // case: logger of its own
		"plain log": func() {
			log.Printf("the awning of stall %d was torn", 3) // case: plain log
			os.Exit(1)
		},
		"written to stderr": func() {
			os.Stderr.WriteString("the printer is out of paper\n") // case: written to stderr
			os.Exit(2)
		},
		"left by a function": func() { leave("stall %d is on fire", 9) }, // case: left by a function
		"printed line": func() {
			fmt.Fprintln(os.Stderr, "cannot pay", 12, "coins to the farmer") // case: printed line
			os.Exit(2)
		},
		// What follows fails in the code of Go's own library.
		"go: bool":           func() { stop(last(strconv.ParseBool("maybe"))) },                             // in: strconv/
		"go: time":           func() { stop(last(time.Parse("2006-01-02", "soon"))) },                       // in: time/
		"go: month":          func() { stop(last(time.Parse("2006-01-02", "2026-13-01"))) },                 // in: time/
		"go: zone":           func() { stop(last(time.LoadLocation("Mars/Base"))) },                         // in: time/
		"go: unknown field":  func() { stop(strict()) },                                                     // in: encoding/json/
		"go: json character": func() { stop(json.Unmarshal([]byte("x"), new(any))) },                        // in: encoding/json/
		"go: json chan":      func() { stop(last(json.Marshal(make(chan int)))) },                           // in: encoding/json/
		"go: xml":            func() { stop(xml.Unmarshal([]byte("<a></b>"), new(any))) },                   // in: encoding/xml/
		"go: csv":            func() { stop(last(csv.NewReader(strings.NewReader("a,b\nc\n")).ReadAll())) }, // in: encoding/csv/
		"go: odd hex":        func() { stop(last(hex.DecodeString("abc"))) },                                // in: encoding/hex/
		"go: scheme":         func() { stop(last(http.Get("nope://x"))) },                                   // in: net/http/
		"go: method":         func() { stop(last(http.NewRequest("bad method", "http://x", nil))) },         // in: net/http/
		"go: no port":        func() { stop(last(net.Dial("tcp", "localhost"))) },                           // in: net/
		"go: cidr":           func() { stop(last(cidr("10.0.0.0/99"))) },                                    // in: net/
		"go: colon":          func() { stop(last(url.Parse("a b:c"))) },                                     // in: net/url/
		"go: gzip":           func() { stop(last(gzip.NewReader(strings.NewReader("no gzip at all")))) },    // in: compress/gzip/
		"go: zip":            func() { stop(last(zip.NewReader(bytes.NewReader([]byte("no zip")), 6))) },    // in: archive/zip/
		"go: driver":         func() { stop(last(sql.Open("nosuch", ""))) },                                 // in: database/sql/
		"go: program":        func() { stop(exec.Command("nosuchprogram").Run()) },                          // in: os/exec/
		"go: repetition":     func() { stop(last(regexp.Compile("*a"))) },                                   // in: regexp/
		"go: template field": func() { stop(fill()) },                                                       // in: text/template/
		"go: long token":     func() { stop(scan()) },                                                       // in: bufio/
		"go: deadline":       func() { stop(deadline()) },                                                   // in: context/
		"go: replacer":       func() { strings.NewReplacer("a") },                                           // in: strings/
		"go: zero value":     func() { reflect.Value{}.Type() },                                             // in: reflect/
		"go: wait group":     func() { new(sync.WaitGroup).Done() },                                         // in: sync/
		"go: unlock":         func() { new(sync.RWMutex).Unlock() },                                         // in: sync/
		"go: index":          func() { fmt.Println(numbers[at]) },                                           // in: runtime/
		"go: slice":          func() { fmt.Println(numbers[at:]) },                                          // in: runtime/
		"go: nil map":        func() { nothing["a"] = 1 },                                                   // in: runtime/|internal/runtime/
		"go: nil pointer":    func() { fmt.Println(pointer.stall) },                                         // in: runtime/
		"go: type assertion": func() { fmt.Println(any_.(int)) },                                            // in: runtime/
		"go: closed channel": func() { c := make(chan int); close(c); c <- 1 },                              // in: runtime/
		"go: division":       func() { fmt.Println(1 / (at - at)) },                                         // in: runtime/
		"go: missing file":   func() { stop(last(os.Open("/no/such/file"))) },                               // in: syscall/|io/fs/|os/
	}
	cases[os.Args[1]]()
}
