package bot

import (
	_ "embed" // the list of browsers
	"strings"
	"sync"
)

//go:embed browsers.txt
var browsers string

// Browsers returns user agents of browsers that people use. A test writes them from the labelled set in testdata to browsers.txt. No
// list or pattern of bots may match one of them.
var Browsers = sync.OnceValue(func() []string { return strings.Split(strings.TrimSpace(browsers), "\n") })
