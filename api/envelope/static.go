package envelope

import (
	"net/http"
	"strconv"
	"strings"

	"switchyard/api/route"
)

// static is the reply with an answer that is made once: not at all to a client that has it, compressed to one that takes
// it so.
func static(c *route.Call, status int, s route.Static) Reply {
	h := c.Header()
	h.Set("ETag", s.ETag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache") // ask whether it is still the same
	if has(c.Request.Header.Values("If-None-Match"), s.ETag) {
		return Reply{Status: http.StatusNotModified, Type: s.Type}
	}
	if takesGzip(c.Request.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		return Reply{Status: status, Type: s.Type, Body: s.Gzip}
	}
	return Reply{Status: status, Type: s.Type, Body: s.Body}
}

// has reports whether a list of entity tags contains one. Weak and strong ones are the same here.
func has(lists []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for item := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		if item = strings.TrimSpace(item); item == "*" || strings.TrimPrefix(item, "W/") == tag {
			return true
		}
	}
	return false
}

func takesGzip(lists []string) bool {
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
