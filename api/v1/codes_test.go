package v1_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"switchyard/api/apitest"
	"switchyard/api/v1"
)

// unreachable lists the documented error codes that no call of these tests can get, with the reasons. A key is a code, or an
// operation with a code.
var unreachable = map[string]string{
	"PATCH /settings not_found": "the account of a valid key exists, except in the moment in which it is deleted",
	"POST /copilot network":     "it is reserved for blocking values at an ad network; so far they are blocked only in the account",
	"buyer_only":                "it refuses people with the role contributor, and these tests call by keys, which have no role",
}

// elsewhere holds codes that a worker returns. The worker's tests cover them.
var elsewhere = map[string]bool{
	"POST /logs/postbacks/{id}/redeliver no_url": true, "POST /logs/postbacks/{id}/redeliver in_progress": true,
	"POST /logs/postbacks/{id}/redeliver too_old": true,
	"POST /copilot/rules/replay too_large":        true,
	"GET /traffic-sources/{id}/difference busy":   true, "GET /networks/{id}/difference busy": true, "POST /reports/exports busy": true,
	"POST /corrections/cost/set no_clicks": true, "POST /corrections/cost/set too_many": true, "POST /corrections/cost/set rate_missing": true,
	"POST /corrections/cost/changes/{id}/undo overlapped": true,
	"POST /config/apply stale":                            true,
	"POST /config/history not_read":                       true,
	"POST /networks/{id}/integration/sync too_many":       true, "POST /networks/{id}/integration/sync network_error": true,
}

// TestMain checks, if no test was left out, that the tests got every error code that a route declares and that is in neither list.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" {
		code = reportMissed()
	}
	os.Exit(code)
}

func reportMissed() int {
	code := 0
	for _, row := range v1.Routes(v1.Deps{}) {
		for _, c := range row.Codes {
			f := apitest.Failure{Method: row.Method, Path: row.Path, Status: c.HTTP, Code: c.Code}
			if unreachable[c.Code] == "" && unreachable[row.Method+" "+row.Path+" "+c.Code] == "" &&
				!elsewhere[row.Method+" "+row.Path+" "+c.Code] && !apitest.Reached(f) {
				fmt.Fprintf(os.Stderr, "no test got this error of %s %s: %d %s\n", row.Method, row.Path, c.HTTP, c.Code)
				code = 1
			}
		}
	}
	return code
}
