package bot

import (
	_ "embed" // the list of browsers
	"strings"
	"sync"
)

//go:embed browsers.txt
var browsers string

// Browsers returns user agents of browsers that people use: the browsers in the labelled set in testdata, except text browsers.
// If a list or pattern classifies one of them as a bot, that is a mistake.
var Browsers = sync.OnceValue(func() []string { return strings.Split(strings.TrimSpace(browsers), "\n") })
