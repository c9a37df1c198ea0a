package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"switchyard/api/openapi"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/tool"
)

type callerKey struct{}

func callerOf(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

// caller carries out the tools of one request of the protocol.
type caller struct {
	s *Service
	c *route.Call
}

// rights returns what the caller may do. Without a caller, it is the right to read.
func (c *caller) rights() models.Rights {
	switch {
	case c == nil:
		return models.RightsRead
	case c.c.Assistant != nil:
		return c.c.Assistant.Rights
	case c.c.MayWrite():
		return models.RightsChange
	}
	return models.RightsRead
}

// use carries out a call of a tool. An error becomes a result that the model reads.
func (c *caller) use(t *tool.Tool, r *sdk.CallToolRequest) (result *sdk.CallToolResult) {
	start, outcome := time.Now(), "error"
	api := &client{caller: c, via: models.Via{Through: models.ViaMCP, Client: clientName(r), Tool: t.Name}}
	if c.c.Assistant != nil {
		api.via.Client = c.c.Assistant.Client // the name that the person saw when connecting the assistant
	}
	defer func() {
		if v := recover(); v != nil { // the SDK runs this on a goroutine of its own, where a panic would end the process
			slog.ErrorContext(c.c.Context(), "panic", "request_id", c.c.RequestID, "tool", t.Name, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			result = failed(c.c, errPanic)
		}
		if outcome != "ok" {
			api.release()
		}
		c.s.seconds.WithLabelValues(t.Name, outcome).Observe(time.Since(start).Seconds())
	}()
	a, err := t.Use(c.c.Context(), tool.Call{API: api, ReadOnly: !c.rights().Includes(models.RightsChange), Docs: c.s.library, Reserve: api.reserve}, r.Params.Arguments)
	if err != nil {
		return failed(c.c, err)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return failed(c.c, err)
	}
	outcome = "ok"
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: marked(a.Text())}}, StructuredContent: json.RawMessage(raw)}
}

var errPanic = errors.New("mcp: panic in a tool")

// marked puts data between marks, so that the model can distinguish data from instructions. The mark is random, so the authors
// of the data cannot know it.
func marked(data string) string {
	mark := "data-" + rand.Text()
	return "<" + mark + ">\n" + data + "</" + mark + ">"
}

// quoted matches a quoted part of an error's text. word matches a quoted part that is shown, because it is only a short word.
var (
	quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|“[^”]*”`)
	word   = regexp.MustCompile(`^["“][\w.{}:/+-]{0,40}["”]$`)
)

// failed returns the result for an error. It replaces each quoted part of the message that is not a short word by an ellipsis,
// because a stranger may have written that text.
func failed(c *route.Call, err error) *sdk.CallToolResult {
	text := "this failed on our side; request " + c.RequestID
	if e, ok := models.AsError(err); ok {
		text = e.Code + ": " + quoted.ReplaceAllStringFunc(e.Message, func(s string) string {
			if word.MatchString(s) {
				return s
			}
			return "…"
		})
	} else {
		slog.WarnContext(c.Context(), "tool failed", "request_id", c.RequestID, "account_id", c.Account.ID, "error", err)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: true}
}

const maxClient = 60 // characters

// clientName returns the name that a client gives itself.
func clientName(r *sdk.CallToolRequest) string {
	name := ""
	if info := r.ClientInfo(); info != nil {
		name = info.Name
	}
	if name == "" && r.Extra != nil {
		name, _, _ = strings.Cut(r.Extra.Header.Get("User-Agent"), " (")
	}
	name = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(name, ""))
	if runes := []rune(name); len(runes) > maxClient {
		name = string(runes[:maxClient])
	}
	return name
}

// client calls the API for a tool.
type client struct {
	*caller

	via      models.Via
	posts    int           // POST requests so far
	reserved [][]uuid.UUID // what reserve has counted against the limits for changes that are not made yet
}

// dropped lists headers of the protocol's request that are not passed on to the calls of its tools.
var dropped = []string{
	"Accept", "Accept-Encoding", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Idempotency-Key", "If-Match", "If-None-Match",
	"Last-Event-Id", "Prefer", "X-Request-Id",
}

// Do implements tool.API. It calls the API's handler in this process with the caller's key.
func (c *client) Do(ctx context.Context, r tool.Request) (json.RawMessage, error) {
	body := io.Reader(http.NoBody) // a handler expects a body, even an empty one
	if r.Body != nil {
		raw, err := json.Marshal(r.Body)
		if err != nil {
			return nil, fmt.Errorf("mcp: body of %s: %w", r.Path, err)
		}
		body = bytes.NewReader(raw)
	}
	outer := c.c.Request
	req, err := http.NewRequestWithContext(route.WithVia(ctx, c.via), r.Method, openapi.Prefix+r.Path+"?"+r.Query.Encode(), body)
	if err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	req.Header, req.RemoteAddr, req.Host = outer.Header.Clone(), outer.RemoteAddr, outer.Host
	for _, name := range dropped {
		req.Header.Del(name)
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key := c.idempotencyKey(r); key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	c.s.d.API.ServeHTTP(w, req)
	data, err := w.answer()
	if err == nil && r.Method != http.MethodGet {
		if w.header.Get("Idempotent-Replayed") != "" {
			c.release() // the change was made and counted before
		}
		c.reserved = nil // this change has used what was reserved, or release has given it back
	}
	return data, err
}

// idempotencyKey returns the Idempotency-Key for a POST of a tool. A repetition of a request with an Idempotency-Key gets the
// same keys, so no change is made twice.
func (c *client) idempotencyKey(r tool.Request) string {
	sent := c.c.Request.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost || r.Key != "" || sent == "" {
		return r.Key
	}
	c.posts++
	sum := sha256.Sum256([]byte(sent + "\n" + c.via.Tool))
	return "mcp-" + hex.EncodeToString(sum[:]) + "-" + strconv.Itoa(c.posts)
}

const (
	budgetSpan = 24 * time.Hour
	cooldown   = tool.Cooldown
)

// reserve counts a change against the limits of the key and of the record.
func (c *client) reserve(ctx context.Context, record uuid.UUID) error {
	key := store.UseLimit{Subject: c.c.KeyID, Most: c.c.Account.AssistantChanges, Span: budgetSpan}
	limits, subjects := []store.UseLimit{key}, []uuid.UUID{key.Subject}
	if record != uuid.Nil {
		limits, subjects = append(limits, store.UseLimit{Subject: record, Most: 1, Span: cooldown}), append(subjects, record)
	}
	reached, err := c.s.d.Store.AssistantUses().Reserve(ctx, c.c.Account.ID, c.s.d.Now(), limits...)
	switch {
	case err != nil:
		return err
	case reached == nil:
		c.reserved = append(c.reserved, subjects)
		return nil
	case reached.Subject == record:
		return models.Errorf(models.KindTooMany, "cooling_down", "an assistant changed this record within the last hour: see the effect first, or let a person change it")
	}
	return models.Errorf(models.KindTooMany, "changes_used", "this key or connection has made the %d changes that it may make in 24 hours: let a person continue", key.Most)
}

// release gives back what was reserved for a change that was not made.
func (c *client) release() {
	for _, subjects := range c.reserved {
		if err := c.s.d.Store.AssistantUses().Release(context.WithoutCancel(c.c.Context()), c.c.Account.ID, subjects...); err != nil {
			slog.WarnContext(c.c.Context(), "reservation of an assistant's change not released", "account_id", c.c.Account.ID, "error", err)
		}
	}
}

const maxAnswer = 4 << 20 // bytes of an answer of the API

// recorder is an http.ResponseWriter that keeps an answer in memory.
type recorder struct {
	header   http.Header
	status   int
	body     bytes.Buffer
	tooLarge bool
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

var errTooLarge = errors.New("mcp: the answer is too large")

func (r *recorder) Write(p []byte) (int, error) {
	if r.body.Len()+len(p) > maxAnswer {
		r.tooLarge = true
		return 0, errTooLarge
	}
	return r.body.Write(p)
}

// answer returns the data of an answer of the API, or its error.
func (r *recorder) answer() (json.RawMessage, error) {
	var a struct {
		Data  json.RawMessage `json:"data"`
		Error *models.Error   `json:"error"`
	}
	err := json.Unmarshal(r.body.Bytes(), &a)
	switch {
	case r.tooLarge:
		return nil, models.Invalid("too_large", "this is too much to read: choose fewer days, or fewer dimensions")
	case err != nil:
		return nil, fmt.Errorf("mcp: answer with status %d: %w", r.status, err)
	case a.Error != nil:
		a.Error.Kind = models.KindInvalid
		return nil, a.Error
	case r.status == http.StatusAccepted:
		var job route.JobRef
		_ = json.Unmarshal(a.Data, &job) // if this fails, the text has no id
		return nil, models.Errorf(models.KindUnavailable, "goes_on", "this takes longer and continues as job %s: call again later", cmp.Or(job.Job.ID, "of GET /jobs"))
	}
	return a.Data, nil
}
