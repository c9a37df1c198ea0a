package envelope

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"switchyard/api/route"
)

// Static returns the reply for an answer that is made once and sent unchanged.
func Static(h http.Header, r *http.Request, status int, s route.Static) Reply {
	h.Set("ETag", s.ETag)
	h.Set("Vary", "Accept-Encoding")
	if hasTag(r.Header.Values("If-None-Match"), s.ETag) {
		return Reply{Status: http.StatusNotModified, Type: s.Type}
	}
	if acceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		return Reply{Status: status, Type: s.Type, Body: s.Gzip}
	}
	return Reply{Status: status, Type: s.Type, Body: s.Body}
}

// hasTag reports whether lists of entity tags contain tag or *. It treats weak and strong tags as equal.
func hasTag(lists []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	return slices.ContainsFunc(strings.Split(strings.Join(lists, ","), ","), func(item string) bool {
		item = strings.TrimSpace(item)
		return item == "*" || strings.TrimPrefix(item, "W/") == tag
	})
}

func acceptsGzip(lists []string) bool {
	for item := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		name, params, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		weight, given := strings.CutPrefix(strings.TrimSpace(params), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !given || err == nil && q > 0
	}
	return false
}
