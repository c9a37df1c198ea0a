package cond_test

import (
	"fmt"
	"net/netip"
	"time"

	"switchyard/models"
	"switchyard/models/cond"
)

// A list of conditions is compiled once, and then matched with the facts of any number of visitors.
func Example() {
	matcher, err := cond.Compile([]cond.Condition{
		{Attribute: "country", Operator: "in", Value: []any{"DE", "AT"}},
		{Attribute: "os_version", Operator: "gte", Value: "16.4"},
		{Attribute: "ip", Operator: "not_in_cidr", Value: "192.0.2.0/24"},
	}, "and")
	if err != nil {
		fmt.Println(err)
		return
	}
	var facts cond.Facts // each goroutine needs its own
	for _, visitor := range []models.Visitor{
		{Country: "at", OSVersion: "16.10", IP: netip.MustParseAddr("198.51.100.1")},
		{Country: "DE", OSVersion: "17", IP: netip.MustParseAddr("192.0.2.7")},
		{Country: "DE", IP: netip.MustParseAddr("198.51.100.2")}, // the OS version is unknown
	} {
		facts.Reset()
		facts.SetClick(&models.Click{Visitor: visitor})
		facts.SetTime(time.Now(), time.UTC)
		fmt.Println(matcher.Match(&facts))
	}
	// Output:
	// true
	// false
	// false
}
