package ads

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// googleOutcome asks Data Manager what became of a request. A request has one destination. A status that is not known is of one that is
// under way.
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
	of := answer.Destinations[0]
	var words []string
	for _, c := range of.Errors.Counts {
		words = append(words, fmt.Sprintf("%s (%s)", c.Reason, c.Records))
	}
	said := strings.Join(words, ", ")
	switch of.Status {
	case "SUCCESS":
		return Outcome{true, models.UploadAccepted, "request " + request + ": processed"}, nil
	case "PARTIAL_SUCCESS":
		return Outcome{
			true, models.UploadAccepted, "request " + request + ": processed, but for some, of which the platform does not say which: " + said,
		}, nil
	case "FAILED":
		return Outcome{true, models.UploadRejected, "request " + request + " failed: " + said}, nil
	}
	return Outcome{}, nil
}
