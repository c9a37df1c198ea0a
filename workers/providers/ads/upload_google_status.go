package ads

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// googleSoon is the wait before a request with events that came too early is sent again.
const googleSoon = 6 * time.Hour

// Data Manager's reasons that this package treats specially.
const (
	googleTooRecent = "TOO_RECENT"
	// googleDuplicate is the prefix of the reasons for conversions that Google already has. Google recognizes them by their
	// transaction id, or by click and time.
	googleDuplicate = "PROCESSING_ERROR_REASON_DUPLICATE_"
)

// googleOutcome asks Data Manager about the outcome of a request. An unknown status counts as under way. If some events came too
// early, the whole request is sent again, because Google does not name them. Google refuses the other events of the request as
// duplicates.
func googleOutcome(ctx context.Context, u *uploading, request string) (Outcome, error) {
	type counts struct {
		Counts []struct {
			Records rest.Text `json:"recordCount"`
			Reason  string    `json:"reason"`
		} `json:"errorCounts"`
	}
	var answer struct {
		Destinations []struct {
			Status string `json:"requestStatus"`
			Errors counts `json:"errorInfo"`
		} `json:"requestStatusPerDestination"`
	}
	err := u.call(ctx, u.API, rest.Request{
		Method: http.MethodGet, Path: "/v1/requestStatus:retrieve", Query: url.Values{"requestId": {request}},
	}, &answer)
	if err != nil || len(answer.Destinations) == 0 {
		return Outcome{}, err
	}
	destination := answer.Destinations[0]
	var list []string
	out := Outcome{Done: true, Known: len(destination.Errors.Counts) > 0}
	for _, c := range destination.Errors.Counts {
		list = append(list, fmt.Sprintf("%s (%s)", c.Reason, c.Records))
		out.Known = out.Known && strings.HasPrefix(c.Reason, googleDuplicate)
		if strings.Contains(c.Reason, googleTooRecent) {
			out.Again = googleSoon
		}
	}
	reasons := strings.Join(list, ", ")
	switch destination.Status {
	case "SUCCESS":
		return Outcome{Done: true, Result: models.UploadAccepted, Reason: "request " + request + ": processed"}, nil
	case "PARTIAL_SUCCESS":
		out.Result = models.UploadAccepted
		out.Reason = "request " + request + ": processed, except for some events, which the platform does not name: " + reasons
		return out, nil
	case "FAILED":
		out.Result, out.Reason = models.UploadRejected, "request "+request+" failed: "+reasons
		return out, nil
	}
	return Outcome{}, nil
}
