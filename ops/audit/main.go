// Command audit fails if a row of the table of API versions was last checked over a year ago. It prints the versions that end soon.
package main

import (
	"fmt"
	"os"
	"time"

	"switchyard/models/apiversion"
)

func main() {
	now := time.Now()
	for _, v := range apiversion.Versions {
		if v.EndsSoon(now) {
			fmt.Fprintf(os.Stdout, "%s %s ends on %s (%s)\n", v.Provider, v.Version, v.Ends, v.Page)
		}
	}
	stale := apiversion.Stale(now)
	for _, v := range stale {
		fmt.Fprintf(os.Stderr, "%s %s was last checked on %s: read %s and update models/apiversion\n", v.Provider, v.Version, v.Checked, v.Page)
	}
	if len(stale) > 0 {
		os.Exit(1)
	}
}
