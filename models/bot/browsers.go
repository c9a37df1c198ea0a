package bot

import (
	_ "embed" // the list of browsers
	"strings"
	"sync"
)

//go:embed browsers.txt
var browsers string

// Browsers returns the user agents in browsers.txt. They are those of the labelled set in testdata that belong to browsers that
// people use. No list or pattern may match one of them.
var Browsers = sync.OnceValue(func() []string { return strings.Split(strings.TrimSpace(browsers), "\n") })
