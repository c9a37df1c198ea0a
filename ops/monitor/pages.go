package monitor

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/hibiken/asynqmon"

	"switchyard/jobs"
)

// shared lets asynqmon use the Redis client of the process.
type shared struct{ redis jobs.Redis }

// MakeRedisClient implements asynq.RedisConnOpt.
func (s shared) MakeRedisClient() any { return s.redis }

// queuePages serves asynqmon with a changed page, which loads nothing from other hosts and runs only its own scripts.
type queuePages struct {
	asynqmon http.Handler
	original []byte // asynqmon's page
	page     []byte // the changed page
	policy   string
}

var (
	foreignLink  = regexp.MustCompile(`<link[^>]* href="https?://[^>]*>`)
	inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)

func newQueuePages(r jobs.Redis) *queuePages {
	p := &queuePages{asynqmon: asynqmon.New(asynqmon.Options{RootPath: queuesPath, RedisConnOpt: shared{r}})}
	original := p.fetch(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: queuesPath + "/"}})
	p.original = original.body.Bytes()
	p.page = foreignLink.ReplaceAll(p.original, nil)
	scripts := []string{"'self'"}
	for _, script := range inlineScript.FindAllSubmatch(p.page, -1) {
		sum := sha256.Sum256(script[1])
		scripts = append(scripts, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	p.policy = strings.Join([]string{
		"default-src 'none'", "script-src " + strings.Join(scripts, " "), "style-src 'self' 'unsafe-inline'",
		"img-src 'self' data:", "font-src 'self'", "connect-src 'self'", "manifest-src 'self'",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
	return p
}

// ServeHTTP passes requests to asynqmon, and replaces its page.
func (p *queuePages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, queuesPath+"/api/") {
		p.asynqmon.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", p.policy)
	answer := p.fetch(r)
	if bytes.Equal(answer.body.Bytes(), p.original) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(p.page)
		return
	}
	for name, values := range answer.header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body.Bytes())
}

func (p *queuePages) fetch(r *http.Request) *answer {
	a := &answer{header: http.Header{}, status: http.StatusOK}
	p.asynqmon.ServeHTTP(a, r)
	return a
}

// answer is an http.ResponseWriter that stores the answer.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }
