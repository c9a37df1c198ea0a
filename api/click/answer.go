package click

import (
	"encoding/json"
	"html"
	"net/http"
	"strconv"

	"switchyard/models/flow"
)

// Header values that are shared, so that an answer allocates little.
var (
	noStore    = []string{"no-store"}
	noReferrer = []string{"no-referrer"}
	asHTML     = []string{"text/html; charset=utf-8"}
	asText     = []string{"text/plain; charset=utf-8"}
	asJSON     = []string{"application/json"}
	noSniff    = []string{"nosniff"}
	// crossOrigin lets pages of other sites embed an answer, including pages that require this permission
	// (Cross-Origin-Embedder-Policy).
	crossOrigin = []string{"cross-origin"}
	emptyBody   = []string{"0"}
	moreHints   = []string{"Sec-CH-UA-Platform-Version, Sec-CH-UA-Model, Sec-CH-UA-Full-Version-List"}
)

var redirects = map[string]int{
	flow.Transition301: http.StatusMovedPermanently, flow.Transition302: http.StatusFound,
	flow.Transition303: http.StatusSeeOther, flow.Transition307: http.StatusTemporaryRedirect,
}

// pages are the transitions that need an HTML page. form_post leaves the query in the form's action, so that the receiver finds
// the parameters in the same place as after a redirect.
var pages = map[string]struct {
	noReferrer bool // the page tells the browser to send no Referer to the destination
	write      func(b []byte, escaped, script string) []byte
}{
	flow.TransitionMeta:          {false, metaPage},
	flow.TransitionDoubleMeta:    {true, metaPage}, // leads to a link of this service, which leads to the destination
	flow.TransitionBlankReferrer: {true, metaPage},
	flow.TransitionJS: {false, func(b []byte, escaped, script string) []byte {
		b = append(append(append(b, `<script>location.replace(`...), script...), `)</script>`...)
		return append(append(append(b, `<noscript><meta http-equiv="refresh" content="0;url=`...), escaped...),
			`"></noscript>`...)
	}},
	flow.TransitionFormPost: {false, func(b []byte, escaped, _ string) []byte {
		b = append(append(append(b, `<form id="f" method="post" action="`...), escaped...), `">`...)
		return append(b, `<noscript><button>Continue</button></noscript></form>`+
			`<script>document.getElementById("f").submit()</script>`...)
	}},
	flow.TransitionIframe: {false, func(b []byte, escaped, _ string) []byte {
		b = append(b, `<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>`...)
		return append(append(append(b, `<iframe src="`...), escaped...), `"></iframe>`...)
	}},
}

func metaPage(b []byte, escaped, _ string) []byte {
	b = append(append(append(b, `<meta http-equiv="refresh" content="0;url=`...), escaped...), `">`...)
	return append(append(append(b, `<a href="`...), escaped...), `" rel="noreferrer">Continue</a>`...)
}

// answer sends the visitor to the destination. Refused visitors and visitors without a destination get other answers.
func (r *request) answer(w http.ResponseWriter, d *flow.Decision) {
	if r.refused != nil {
		r.answerRefused(w)
		return
	}
	if len(r.out) == 0 {
		r.answerNothing(w, d.Route)
		return
	}
	r.send(w, d.Transition())
}

// requestHints asks the browser for more client hints (Accept-CH). Only a browser that has sent hints already is asked.
// Critical-CH is not sent, because it makes the browser repeat the request, so the click would be counted twice.
func (r *request) requestHints(h http.Header) {
	if r.http.Header["Sec-Ch-Ua"] != nil {
		h["Accept-Ch"] = moreHints
	}
}

func (r *request) send(w http.ResponseWriter, transition string) {
	h := w.Header()
	h["Cache-Control"] = noStore
	r.requestHints(h)
	page, ok := pages[transition]
	if !ok {
		status, ok := redirects[transition]
		if !ok {
			status = http.StatusFound
		}
		h["Content-Length"] = emptyBody
		redirect(w, status, r.click.Destination)
		return
	}
	if page.noReferrer {
		h["Referrer-Policy"] = noReferrer
	}
	destination := r.click.Destination
	if transition == flow.TransitionDoubleMeta && r.signer != nil {
		link := hopLink{campaign: r.camp.Row.ID, expires: r.now.Add(hopLife)}
		destination = r.signer.hop(link, r.domain.Host, destination)
	}
	script, err := json.Marshal(destination) // escapes < > & too, so it cannot end the script
	if err != nil {
		script = []byte(`""`)
	}
	b := r.scratch[:0]
	b = append(b, `<!doctype html><html><head><meta charset="utf-8"><title></title>`...)
	if page.noReferrer {
		b = append(b, `<meta name="referrer" content="no-referrer">`...)
	}
	b = append(page.write(b, html.EscapeString(destination), string(script)), `</head></html>`...)
	r.scratch = b
	writePage(w, http.StatusOK, asHTML, b)
}

// answerNothing answers a visitor without a destination. It sends the response of a path whose action is nothing, and otherwise
// 404. On a shared domain the path's body is sent as plain text, because one customer's page must not act in the name of a host
// that all customers share.
func (r *request) answerNothing(w http.ResponseWriter, route *flow.Route) {
	w.Header()["Cache-Control"] = noStore
	if route == nil || route.Action != flow.ActionNothing || route.Response == nil ||
		route.Response.Status == http.StatusNotFound && route.Response.Body == "" {
		notFound(w)
		return
	}
	kind := asHTML
	if !r.domain.AccountID.Valid {
		kind = asText
	}
	if route.Response.Status == http.StatusNoContent {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	writePage(w, route.Response.Status, kind, []byte(route.Response.Body))
}

func redirect(w http.ResponseWriter, status int, url string) {
	h := w.Header()
	h["Cache-Control"], h["Location"] = noStore, []string{url}
	w.WriteHeader(status)
}

func writePage(w http.ResponseWriter, status int, kind []string, body []byte) {
	h := w.Header()
	h["Content-Type"], h["X-Content-Type-Options"] = kind, noSniff
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	//nolint:gosec // what visitors sent is escaped where the page is made
	_, _ = w.Write(body) // a visitor who has left needs no answer; net/http drops the body of a HEAD
}

var notFoundPage = []byte(`<!doctype html><html><head><meta charset="utf-8"><title>Not found</title></head>` +
	`<body><h1>Not found</h1><p>There is nothing at this address.</p></body></html>`)

func notFound(w http.ResponseWriter) {
	w.Header()["Cache-Control"] = noStore
	writePage(w, http.StatusNotFound, asHTML, notFoundPage)
}
