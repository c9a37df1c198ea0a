package bot

import (
	_ "embed" // the list of browsers
	"strings"
	"sync"
)

//go:embed browsers.txt
var browsers string

// Browsers returns user agents of browsers that people use: the browsers of the labelled set in testdata, without text
// browsers. A list or pattern that classifies one of them as a bot is a mistake.
var Browsers = sync.OnceValue(func() []string { return strings.Split(strings.TrimSpace(browsers), "\n") })
